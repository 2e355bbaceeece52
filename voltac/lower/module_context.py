"""What all functions of a module share: globals, declarations, and which versions of which functions are wanted.

A function is written once for each way it is reached (a *version*): with the mask
as its last parameter, with the mask known to be all on, through the C convention,
or as a task. Versions are asked for by their first use and written from a list.
What is reached only from what other files may call (``functions/shared_versions.py``) has
a version with a mask of its own, which is compiled at less expense.
"""

from __future__ import annotations

from collections.abc import Iterable

from voltac.ir import marks, pseudo_operations
from voltac.ir.sections import SCRATCHPAD, SCRATCHPAD_UNSET, in_section
from voltac.lower.analyses.node_costs import Costs
from voltac.lower.debug.debug_info import DebugInfo
from voltac.lower.memory.constant_data import constant_initializer
from voltac.lower.text.ir_values import IR, floating, global_name, integer, vector_constant
from voltac.lower.text.llvm_types import TypeLayout
from voltac.lower.text.module_builder import ModuleBuilder
from voltac.messages.diagnostics import InternalError
from voltac.options import Options
from voltac.records import field, mutable_record
from voltac.sema import tree
from voltac.sema.types import Array

MASKED, SOME_ON, ALL_ON, C_CONVENTION, TASK = "masked", marks.SOME_ON, "all_on", "c", "task"


@mutable_record(eq=False)
class Version:
    """One way a function is reached, and its text once it is written."""

    symbol: tree.FunctionSymbol
    kind: str
    name: str
    """With the at sign."""
    linkage: str
    """``internal``, ``weak_odr`` or empty."""
    signature: str = ""
    """From the result type to the closing parenthesis."""
    body: str = ""
    uses: int = 0
    address_taken: bool = False
    calls: dict[Version, int] = field(default_factory=dict)
    """Direct calls of other versions, and how many."""
    recursive: bool | None = None
    lines: int = 0
    """Of the body with what is inlined into it; 0 while unknown."""
    attributes: str = ""
    """Besides those of every function."""
    debug: str = ""
    reads_mask: bool = False
    """The body does something with the mask that it is given."""

    @property
    def takes_mask(self) -> bool:
        """Whether the mask is its last parameter."""
        return self.kind in (MASKED, SOME_ON)


class ModuleContext:
    """One module while its functions are written; shared by their contexts."""

    def __init__(self, options: Options, file: str) -> None:
        self.options = options
        self.text = ModuleBuilder()
        self.types = TypeLayout(options.target, self.text)
        self.costs = Costs(options.target.branch_limit)
        self.debug = DebugInfo(self.text, options, file, self.types.sizes)
        self.versions: dict[tuple[int, str], Version] = {}
        self.waiting: list[Version] = []
        self.for_other_files = False
        """What is written now is only reached from other files."""
        self.lines_have_one_thread = True
        """On a device: no two threads write different parts of 64 bytes of memory that begin at a multiple of 64."""
        self.takes_addresses = False
        """Some function is known by its address, so that calls may reach it that are not written as calls of it."""
        self._lane_numbers: dict[str, IR] = {}
        self._globals: dict[tree.VariableSymbol, IR] = {}
        self._names: set[str] = set()
        self.helpers: set[str] = set()
        """Names of the helper functions that were added."""
        self.probes: list[list[list[str | int]]] = []
        """Of an instrumented build: what each one counts (``lower/control_flow/probes.py``)."""

    # --- shared constants and declarations

    def lane_numbers(self, type: str) -> IR:
        """``<0, 1, .. W-1>`` of a scalar type."""
        known = self._lane_numbers.get(type)
        if known is None:
            numbers = range(self.options.target.width)
            if type[0] == "i":
                lanes = [integer(type, (n ^ 1 << int(type[1:]) - 1) - (1 << int(type[1:]) - 1)) for n in numbers]
            else:
                lanes = [floating(type, float(n)) for n in numbers]
            known = self._lane_numbers[type] = vector_constant(lanes)
        return known

    def pseudo(self, operation: str, element: str, width: int | None = None) -> str:
        """Declares a pseudo operation, of a gang's width if none is given; gives its name with the at sign."""
        width = self.options.target.width if width is None else width
        name = f"{operation}.{pseudo_operations.suffix(element, width)}"
        if name not in self.text.declarations:
            self.text.declarations[name] = pseudo_operations.declaration(operation, element, width)
        return f"@{name}"

    def intrinsic(self, name: str, result: str, *parameters: str) -> str:
        """Declares an LLVM intrinsic (or C function); gives its name with the at sign."""
        return self.text.declare(name, result, ", ".join(parameters))

    def constant_image(self, content: IR, alignment: int) -> IR:
        """A constant object to copy from."""
        definition = f"private unnamed_addr constant {content}, align {alignment}"
        for name, known in self.text.globals.items():
            if known == definition:
                return IR("ptr", name)
        name = self._unique("image")
        self.text.globals[name] = definition
        return IR("ptr", name)

    def _unique(self, wanted: str) -> str:
        name = global_name(wanted)
        serial = 0
        while name in self._names or name in self.text.globals:
            serial += 1
            name = global_name(f"{wanted}.{serial}")
        self._names.add(name)
        return name

    # --- variables

    def global_address(self, symbol: tree.VariableSymbol) -> IR:
        """The address of a global or static variable, defined at its first use."""
        known = self._globals.get(symbol)
        if known is not None:
            return known
        if symbol.kind not in ("global", "static", "extern"):
            raise InternalError(f"lower: variable {symbol.name} is used before it is declared")
        shared = symbol.kind != "static"
        name = global_name(symbol.name) if shared else self._unique(symbol.name)
        address = self._globals[symbol] = IR("ptr", name)
        self._names.add(name)
        own = self.types.alignment if symbol.kind == "extern" else self.types.object_alignment
        alignment = max(own(symbol.type), symbol.alignment)
        if self.options.target.is_device and isinstance(symbol.type.type, Array):
            # Whole vectors are loaded from where a line begins.
            alignment = max(alignment, self.options.target.vector_bits // 8)
        memory = self.types.memory(symbol.type)
        if symbol.kind == "extern":
            self.text.globals.setdefault(name, f"external global {memory}, align {alignment}")
            return address
        initial = constant_initializer(self, symbol.initial, symbol.type)
        if initial is None:
            raise InternalError(f"lower: the initial value of {symbol.name} is no constant")
        # Memory forms of aggregates may differ from the declared one only in the spelling of zero.
        # In a build for several targets each object has the globals, and the linker keeps one of each.
        linkage = ("weak " if self.options.symbol_suffix else "") if shared else "internal "
        # In an executable the file's own variables are its own; in a library the executable may have one of that name.
        if shared and not (self.options.position_independent or self.options.target.is_device):
            linkage += "dso_local "
        word = "constant" if symbol.type.const else "global"
        section = in_section(SCRATCHPAD_UNSET if symbol.initial is None else SCRATCHPAD) if symbol.scratchpad else ""
        self.text.globals[name] = f"{linkage}{word} {initial}{section}, align {alignment}"
        return address

    def finish_debug_info(self, variables: Iterable[tree.VariableSymbol]) -> None:
        """Describe the file's variables that are there."""
        for symbol in variables:
            address = self._globals.get(symbol)
            if address is not None and symbol.kind != "extern":
                self.debug.global_variable(symbol, address.name)
        self.debug.finish()

    # --- functions

    def version(self, symbol: tree.FunctionSymbol, kind: str) -> Version:
        """Ask for a version; it is written later."""
        known = self.versions.get((id(symbol), kind))
        if known is None:
            suffix = "" if symbol.c_linkage and symbol.body is None else self.options.symbol_suffix
            name = global_name(_version_name(symbol, kind) + suffix)
            known = Version(symbol, kind, name, _linkage(symbol, kind, self.options))
            self.versions[id(symbol), kind] = known
            self.waiting.append(known)
        return known

    def has(self, symbol: tree.FunctionSymbol, kind: str) -> bool:
        """Whether somebody asked for a version."""
        return (id(symbol), kind) in self.versions

    def called_version(self, symbol: tree.FunctionSymbol, all_on: bool) -> Version:
        """The version a call with this mask reaches."""
        kind = _called_kind(symbol, all_on)
        if kind == MASKED and self.for_other_files and symbol.body is not None and not self.has(symbol, MASKED):
            kind = SOME_ON
        return self.version(symbol, kind)

    def address_of_function(self, symbol: tree.FunctionSymbol) -> str:
        """What a function pointer holds: the version with a mask where the convention has one."""
        version = self.version(symbol, _called_kind(symbol, False))
        version.address_taken = self.takes_addresses = True
        return version.name


def _called_kind(symbol: tree.FunctionSymbol, all_on: bool) -> str:
    if symbol.c_linkage:
        return C_CONVENTION
    if symbol.task:
        return TASK
    return ALL_ON if symbol.unmasked or (all_on and symbol.body is not None) else MASKED


def _version_name(symbol: tree.FunctionSymbol, kind: str) -> str:
    if kind == C_CONVENTION:
        return symbol.name if symbol.exported else symbol.mangled
    if kind == ALL_ON and not symbol.unmasked:
        return f"{symbol.mangled}.all_on"
    return f"{symbol.mangled}.{SOME_ON}" if kind == SOME_ON else symbol.mangled


def has_shared_version(symbol: tree.FunctionSymbol, options: Options) -> bool:
    """Whether other files of the language may call an exported function (language 10.1)."""
    internal = options.internal_export_functions and not symbol.external_only
    # A device's program is one file.
    return internal and not options.target.is_device and not symbol.static and not options.whole_program


def _linkage(symbol: tree.FunctionSymbol, kind: str, options: Options) -> str:
    if symbol.body is None:
        return ""
    if kind == SOME_ON:
        return "internal"
    if symbol.exported and kind == (ALL_ON if symbol.unmasked else MASKED):
        return "" if has_shared_version(symbol, options) else "internal"
    if kind == C_CONVENTION:
        return "internal" if symbol.static and not symbol.exported else ""
    if symbol.static or symbol.library or symbol.inline or (symbol.exported and kind != TASK):
        return "internal"
    if kind == ALL_ON and not symbol.unmasked:
        return "internal"
    return "weak_odr" if symbol.weak else ""

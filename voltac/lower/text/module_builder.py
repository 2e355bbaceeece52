"""The sections of a module as LLVM text, each collected as it is needed."""

from __future__ import annotations

from collections.abc import Iterable

from voltac.ir.strings import escaped
from voltac.lower.text.ir_values import IR, global_name


class ModuleBuilder:
    """The sections of a module, each collected as it is needed."""

    def __init__(self) -> None:
        self.types: dict[str, str] = {}
        """Named types: name with percent sign -> definition."""
        self.globals: dict[str, str] = {}
        """Globals: name with at sign -> the text after the equals sign."""
        self.declarations: dict[str, str] = {}
        """Name without at sign -> ``declare`` line."""
        self.definitions: list[str] = []
        self.attributes: dict[str, int] = {}
        self.metadata: list[str] = []
        self.named_metadata: dict[str, str] = {}

    def declare(self, name: str, result: str, parameters: str, attributes: str = "nounwind") -> str:
        """Declare a function once; gives ``@name``."""
        if name not in self.declarations:
            self.declarations[name] = f"declare {result} {global_name(name)}({parameters}) {attributes}"
        return global_name(name)

    def attribute_group(self, text: str) -> str:
        """``#N`` for a set of function attributes."""
        return f"#{self.attributes.setdefault(text, len(self.attributes))}"

    def metadata_node(self, text: str) -> str:
        """``!N`` for a new node."""
        self.metadata.append(text)
        return f"!{len(self.metadata) - 1}"

    def metadata_placeholder(self) -> int:
        """The number of a node whose text comes later."""
        self.metadata.append("")
        return len(self.metadata) - 1

    def text_constant(self, content: bytes) -> IR:
        """A private constant with a zero byte at its end; equal ones are shared."""
        definition = f"private unnamed_addr {self.bytes_constant(content)}"
        for name, known in self.globals.items():
            if known == definition:
                return IR("ptr", name)
        name = f"@text.{sum(key.startswith('@text.') for key in self.globals)}"
        self.globals[name] = definition
        return IR("ptr", name)

    @staticmethod
    def bytes_constant(content: bytes) -> str:
        """What defines a constant, behind the words that say where it is known: a text with a zero byte at its end."""
        return f'constant [{len(content) + 1} x i8] c"{escaped(content)}\\00", align 1'

    def text(self, header: Iterable[str]) -> str:
        """The whole module; ``header`` are its first lines."""
        out = [*header, ""]
        out += [f"{name} = type {definition}" for name, definition in self.types.items()]
        out += [f"{name} = {definition}" for name, definition in self.globals.items()]
        out.append("")
        out += self.definitions
        out += self.declarations.values()
        out.append("")
        out += [f"attributes #{number} = {{ {text} }}" for text, number in self.attributes.items()]
        out += [f"!{name} = {content}" for name, content in self.named_metadata.items()]
        out += [f"!{number} = {text}" for number, text in enumerate(self.metadata)]
        return "\n".join(out) + "\n"

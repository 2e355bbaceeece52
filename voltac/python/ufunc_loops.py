"""An exported function → the source of a loop that numpy calls over many elements, in the language itself.

The loop has the signature of numpy's inner loops (``PyUFuncGenericFunction``): addresses of the first elements, counts,
strides in bytes. A function of numbers is compiled for lanes where that is known to mean the same: a copy of it
without the word ``uniform`` runs over all lanes of a ``foreach``. All names have a prefix, since macros of the program hold in
what is appended to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from voltac.python.lengths import counted_arrays
from voltac.python.signatures import KernelParameter, Result, Signature
from voltac.records import record

LOOP = "voltac_ufunc_loop"
_LANES = "voltac_ufunc_lanes"
_TYPES = {
    **{f"int{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    "float16": "float16",
    "float32": "float",
    "float64": "double",
    "bool8": "bool",
    "bool1": "bool",
}
"""Kind and bits → the language's name."""
_MOST_VARIANTS = 2
"""Inputs up to which each mixture of arrays and single values has a loop of its own: three, and code doubles with each more."""
_COUNT_OF_A_FOREACH = 1 << 30
"""Elements that one ``foreach`` goes over: its index has 32 bits."""

_ABOUT_LANES = re.compile(
    r"varying|uniform_|foreach\w*|program\w+|task\w*|launch|sync|static|goto|print|new|delete|soa|unmasked|extern|template|NULL"
    r"|__\w+|any|all|none|reduce_\w+|exclusive_\w+|packed_\w+|lanemask|popcnt|rotate|shift|shuffle|broadcast|extract|insert"
    r"|atomic_\w+|memory_barrier|rdrand|s?random|frandom|seed_rng|prefetch\w*|clock|num_cores|streaming_\w+|mem\w+|aos_\w+|soa_\w+"
    r"|#.*|\".*|&|->"
)
"""Tokens of which a program for one lane after the other and one for all lanes make different things."""


@record
class Loop:
    """A loop of a ufunc, before it is compiled."""

    text: str
    """What is appended to the program."""
    inputs: tuple[str, ...]
    """Types as numpy writes them, ``f4``."""
    output: str
    signature: str = ""
    """Of a generalised ufunc, ``(n)->()``; empty for one that works element by element."""


def elementwise_loop(signature: Signature, tokens: Sequence[str] | None) -> Loop:
    """A loop over a function of numbers: over lanes if its ``tokens`` are given, else one element after the other."""
    types = [_type(row) for row in signature.parameters]
    result = _type(signature.result)
    count = len(types)
    lines = [_as_lanes(tokens)] if tokens is not None else []
    lines += [
        f"export void {LOOP}(uniform int8 * uniform voltac_args[], const uniform int64 voltac_counts[], "
        "const uniform int64 voltac_steps[], void * uniform voltac_data) {",
        "uniform int64 voltac_left = voltac_counts[0];",
        *(f"uniform int8 * uniform voltac_p{i} = voltac_args[{i}];" for i in range(count + 1)),
        *(f"const uniform int64 voltac_s{i} = voltac_steps[{i}];" for i in range(count + 1)),
    ]
    one_by_one = [
        "for (uniform int64 voltac_i = 0; voltac_i < voltac_left; ++voltac_i)",
        f"    *((uniform {result} * uniform)(voltac_p{count} + voltac_i * voltac_s{count})) = {signature.name}("
        + ", ".join(f"*((uniform {type_} * uniform)(voltac_p{i} + voltac_i * voltac_s{i}))" for i, type_ in enumerate(types))
        + ");",
    ]
    if tokens is None:
        return Loop("\n".join([*lines, *one_by_one, "}"]), _formats(signature), _format(signature.result))
    if count == 2:
        # numpy's reduce and accumulate hand what one iteration wrote to the next.
        lines += _overlap(types[0], result, one_by_one)
    lines += [
        "while (voltac_left > 0) {",
        f"const uniform int voltac_n = (uniform int)min(voltac_left, (uniform int64){_COUNT_OF_A_FOREACH});",
        f"uniform {result} * uniform voltac_o = (uniform {result} * uniform)voltac_p{count};",
    ]
    for i, type_ in enumerate(types):
        lines.append(f"uniform {type_} * uniform voltac_a{i} = (uniform {type_} * uniform)voltac_p{i};")
    variants = list(product((False, True), repeat=count)) if count <= _MOST_VARIANTS else [(False,) * count]
    for single in variants[:-1] if count <= _MOST_VARIANTS else variants:
        tests = [f"voltac_s{count} == sizeof(uniform {result})"]
        tests += [f"voltac_s{i} == {0 if single[i] else f'sizeof(uniform {type_})'}" for i, type_ in enumerate(types)]
        values = [f"voltac_a{i}[{0 if single[i] else 'voltac_i'}]" for i in range(count)]
        known = [f"const uniform {types[i]} voltac_v{i} = voltac_a{i}[0];" for i in range(count) if single[i]]
        values = [f"voltac_v{i}" if single[i] else value for i, value in enumerate(values)]
        lines += [f"if ({' && '.join(tests)}) {{", *known, "foreach (voltac_i = 0 ... voltac_n)"]
        lines += [f"    voltac_o[voltac_i] = {_LANES}({', '.join(values)});", "} else"]
    strided = [
        f"*((uniform {type_} * varying)(voltac_p{i} + voltac_i * voltac_s{i}))" for i, type_ in enumerate([*types, result])
    ]
    lines += [
        "foreach (voltac_i = 0 ... voltac_n)",
        f"    {strided[-1]} = {_LANES}({', '.join(strided[:-1])});",
        "voltac_left -= voltac_n;",
        *(f"voltac_p{i} += voltac_n * voltac_s{i};" for i in range(count + 1)),
        "}",
        "}",
    ]
    return Loop("\n".join(lines), _formats(signature), _format(signature.result))


def _overlap(first: str, result: str, one_by_one: list[str]) -> list[str]:
    """One element after the other where the first input lies in the output, unless each element is its own."""
    lines = []
    for number, type_ in ((0, first), (2, result)):
        start, last = f"(uniform int64)voltac_p{number}", f"(voltac_left - 1) * voltac_s{number}"
        lines.append(f"const uniform int64 voltac_low{number} = {start} + min({last}, (uniform int64)0);")
        lines.append(
            f"const uniform int64 voltac_high{number} = {start} + max({last}, (uniform int64)0) + sizeof(uniform {type_});"
        )
    return [
        *lines,
        "if (!(voltac_p0 == voltac_p2 && voltac_s0 == voltac_s2 && voltac_s2 != 0)"
        " && voltac_low0 < voltac_high2 && voltac_low2 < voltac_high0) {",
        *one_by_one,
        "return;",
        "}",
    ]


def definition(tokens: Sequence[str], name: str) -> tuple[list[str] | None, str]:
    """The tokens of an exported function if it can be compiled for lanes, else the token that stands against it."""
    for start, token in enumerate(tokens):
        if token != "export":
            continue
        opening = next((at for at in range(start, len(tokens)) if tokens[at] == "("), len(tokens))
        if opening == len(tokens) or tokens[opening - 1] != name:
            continue
        body = _behind(tokens, opening)
        if body >= len(tokens) or tokens[body] != "{":
            continue
        found = list(tokens[start + 1 : _behind(tokens, body)])
        against = next((token for token in found if _ABOUT_LANES.fullmatch(token)), "")
        return (None, against) if against else (found, "")
    return None, name


def _behind(tokens: Sequence[str], opening: int) -> int:
    """The place behind the bracket that closes one."""
    depth = 0
    for at in range(opening, len(tokens)):
        depth += (tokens[at] in "({[") - (tokens[at] in ")}]")
        if not depth:
            return at + 1
    return len(tokens)


def _as_lanes(tokens: Sequence[str]) -> str:
    name = tokens[tokens.index("(") - 1]
    kept = (_LANES if token == name else token for token in tokens if token not in ("uniform", "inline", "noinline"))
    return "static inline " + " ".join(kept)


# --- functions of arrays ------------------------------------------------------------------------------------------


def array_loop(signature: Signature) -> Loop:
    """A loop that calls a function of arrays for each of many rows; ValueError says what makes it none for numpy."""
    lengths = _lengths(signature)
    outputs = [row for row in signature.parameters if row.memory is not None and row.memory.writable]
    has_result = signature.result.kind != "void"
    if len(outputs) + has_result != 1:
        raise ValueError("it has to give a number or write to one array, and to no other")
    dimensions = list(dict.fromkeys(lengths.values()))
    inputs = [row for row in signature.parameters if row not in outputs and row.name not in dimensions]
    arrays = [row for row in (*inputs, *outputs) if row.memory is not None]
    axes = {row.name: lengths[row.name] for row in arrays}
    core = ["()" if row.memory is None else f"({axes[row.name]})" for row in (*inputs, *outputs)]
    core += ["()"] * has_result
    operands = len(inputs) + 1
    lines = [
        f"export void {LOOP}(uniform int8 * uniform voltac_args[], const uniform int64 voltac_counts[], "
        "const uniform int64 voltac_steps[], void * uniform voltac_data) {",
        *(f"uniform int8 * uniform voltac_p{i} = voltac_args[{i}];" for i in range(operands)),
    ]
    values: dict[str, str] = {}
    before, after, release = [], [], []
    for row in signature.parameters:
        if row.name in dimensions:
            values[row.name] = f"(uniform {_type(row)})voltac_counts[{dimensions.index(row.name) + 1}]"
    for number, row in enumerate((*inputs, *outputs)):
        if row.memory is None:
            values[row.name] = f"*((uniform {_type(row)} * uniform)voltac_p{number})"
            continue
        type_, place = _element(row), arrays.index(row)
        length = f"voltac_n{number}"
        # Elements that do not lie one behind the other are copied.
        lines += [
            f"const uniform int64 {length} = voltac_counts[{dimensions.index(axes[row.name]) + 1}];",
            f"const uniform int64 voltac_c{number} = voltac_steps[{operands + place}];",
            f"const uniform bool voltac_copied{number} = voltac_c{number} != sizeof(uniform {type_}) && {length} > 0;",
            f"uniform {type_} * uniform voltac_b{number} = NULL;",
            f"if (voltac_copied{number}) voltac_b{number} = uniform new uniform {type_}[{length}];",
        ]
        element = f"*((uniform {type_} * uniform)(voltac_p{number} + voltac_k * voltac_c{number}))"
        loop = f"for (uniform int64 voltac_k = 0; voltac_k < {length}; ++voltac_k)"
        before.append(f"if (voltac_copied{number}) {{ {loop} voltac_b{number}[voltac_k] = {element}; }}")
        before.append(f"else voltac_b{number} = (uniform {type_} * uniform)voltac_p{number};")
        if row in outputs:
            after.append(f"if (voltac_copied{number}) {{ {loop} {element} = voltac_b{number}[voltac_k]; }}")
        release.append(f"if (voltac_copied{number}) delete voltac_b{number};")
        values[row.name] = f"voltac_b{number}"
    call = f"{signature.name}({', '.join(values[row.name] for row in signature.parameters)});"
    if has_result:
        call = f"*((uniform {_type(signature.result)} * uniform)voltac_p{operands - 1}) = {call}"
    lines += [
        "for (uniform int64 voltac_i = 0; voltac_i < voltac_counts[0]; ++voltac_i) {",
        *before,
        call,
        *after,
        *(f"voltac_p{i} += voltac_steps[{i}];" for i in range(operands)),
        "}",
        *release,
        "}",
    ]
    output = _format(signature.result) if has_result else _array_format(outputs[0])
    formats = tuple(_format(row) if row.memory is None else _array_format(row) for row in inputs)
    count = len(core) - 1
    return Loop("\n".join(lines), formats, output, f"{','.join(core[:count])}->{core[count]}")


def _lengths(signature: Signature) -> dict[str, str]:
    """Array → the parameter that is its length: as declared, or the only integer there is."""
    rows = signature.parameters
    found = {rows[array].name: rows[at].name for at, arrays in counted_arrays(signature).items() for array in arrays}
    integers = [row.name for row in rows if row.kind in ("int", "uint")]
    for row in rows:
        if row.kind == "pointer" and row.name not in found:
            if len(integers) != 1:
                raise ValueError(f"the length of '{row.name}' has to be declared: {row.name}[n]")
            found[row.name] = integers[0]
    return found


def _type(row: KernelParameter | Result) -> str:
    name = _TYPES.get(f"{row.kind}{row.bits}")
    if name is None:
        raise ValueError(f"'{row.text}' is no number")
    return name


def _format(row: KernelParameter | Result) -> str:
    _type(row)
    return "?" if row.kind == "bool" else f"{row.kind[0]}{row.bits // 8}"


def _formats(signature: Signature) -> tuple[str, ...]:
    return tuple(map(_format, signature.parameters))


def _array_format(row: KernelParameter) -> str:
    assert row.memory is not None
    if not isinstance(row.memory.format, str) or row.memory.count != 1 or row.memory.alignment > 8:
        raise ValueError(f"'{row.name}' ({row.text}) is no array of uniform numbers")
    return row.memory.format


def _element(row: KernelParameter) -> str:
    format_ = _array_format(row)
    kinds = {"i": "int", "u": "uint", "f": "float"}
    return "bool" if format_ == "?" else _TYPES[f"{kinds[format_[0]]}{8 * int(format_[1:])}"]

"""An x86 instruction in AT&T syntax → its kind, and the registers it reads and writes."""

from __future__ import annotations

import re

from voltac.records import record
from voltac.report.cycles.memory_bytes import bytes_moved

_REGISTER = re.compile(r"%([a-z]+\d*[a-z]*)")
_MEMORY = re.compile(r"-?\w*(?:[+-]\w+)*\((%\w+)?(?:,\s*%\w+)?(?:,\s*\d)?\)|%[fg]s:\S*\([^)]*\)|[.\w+-]+\(%rip\)")
_NUMBERED = re.compile(r"r(\d+)[dwb]?$")
_VECTOR_REGISTER = re.compile(r"[xyz]mm(\d+)$")
_LEGACY = {
    name: root
    for root, names in {
        "rax": "eax ax al ah", "rbx": "ebx bx bl bh", "rcx": "ecx cx cl ch", "rdx": "edx dx dl dh",
        "rsi": "esi si sil", "rdi": "edi di dil", "rbp": "ebp bp bpl", "rsp": "esp sp spl",
    }.items()
    for name in (root, *names.split())
}  # fmt: skip

# Mnemonic (without the v of three-operand forms) → kind; the first row that fits.
_VECTOR: tuple[tuple[str, str], ...] = (
    (r"p?gather", "gather"),
    (r"p?scatter", "scatter"),
    (r"(div|sqrt)[ps]s", "divide32"),
    (r"(div|sqrt)[ps]d", "divide64"),
    (r"fn?m(add|sub)", "fma"),
    (r"mul[ps][sd]", "multiply"),
    (r"(add|sub|addsub)[ps][sdh]", "add"),
    (r"(min|max|cmp\w*|range)[ps][sd]|u?comis[sd]", "compare"),
    (r"round|rndscale|reduce|getexp|getmant|scalef", "round"),
    (r"r(cp|sqrt)", "reciprocal"),
    (r"cvt", "convert"),
    (r"pmulld|pmullq", "multiply32"),
    (r"p?mul|pmadd|psadbw|pdp|mpsadbw", "multiply16"),
    (r"blendv|pblendv|p?blendm", "blend"),
    (r"pblendd|blendp", "logic"),
    (r"movmsk|pmovmsk|ptest|test[ps]|pmov[bwdq]2m", "to_scalar"),
    (r"pmovm2", "from_mask"),
    (r"kmov|kunpck|kshift", "mask_move"),
    (r"kortest|ktest", "to_scalar"),
    (r"k[a-z]", "mask"),
    (r"extract[if]|insert[if]|perm[dqpb2wit]|permil2|p?broadcast|pmov[sz]x|pmov(us|s)?[wdq][bwd]|p?expand|p?compress|align[dq]",
     "cross"),
    (r"pextr|extractps", "to_scalar2"),
    (r"pinsr", "from_scalar2"),
    (r"p?shuf|unpck|punpck|pack|palignr|permil|insertps|mov[hl]|movddup|movs[hl]dup|psrldq|pslldq|dbpsad", "shuffle"),
    (r"p?(and|or|xor|andn|tern)\w*[dqs]?$|pternlog|(and|or|xor|andn)p[sd]", "logic"),
    (r"ps[lr][la]v?[wdq]|pro[lr]|psh[lr]d", "vector_shift"),
    (r"p(cmp|min|max|abs|avg|sign|adds|subs|addus|subus|lzcnt|opcnt|onflict)", "vector_compare"),
    (r"p?h(add|sub)", "horizontal"),
    (r"p(add|sub)", "vector_add"),
    (r"ptestn?m", "compare_mask"),
)  # fmt: skip
_SCALAR: tuple[tuple[str, str], ...] = (
    (r"j(?!mp)", "branch"),
    (r"jmp|ret", "jump"),
    (r"call", "call"),
    (r"nop|endbr|prefetch|zeroupper", "free"),
    (r"(cmp|test)[bwlq]?$", "integer"),
    (r"i?mul", "integer_multiply"),
    (r"i?div", "integer_divide"),
    (r"lea", "address"),
    (r"sh[lr]x|sar|sh[lr]|ro[lr]|rorx|bt", "integer_shift"),
    (r"[tl]zcnt|popcnt|bs[fr]|pdep|pext|mulx|crc32", "bit_scan"),
    (r"cmov|set|adc|sbb", "integer_shift"),
)
_VECTOR_KINDS = tuple((re.compile(pattern), kind) for pattern, kind in _VECTOR)
_SCALAR_KINDS = tuple((re.compile(pattern), kind) for pattern, kind in _SCALAR)
_MOVES = re.compile(
    r"v?mov(?:[au]|nt)?p[sd]$|v?movdq|v?movs[sd]$|v?mov[dq]$|v?p?maskmov|v?movnt|"
    r"mov(?:[bwlq]|absq?|s[bwl][wlq]|z[bw][wlq]|slq)$"
)
_FLAGS_READ = re.compile(r"j(?!mp)|cmov|set|adc|sbb|rc[lr]")
_FLAGS_WRITTEN = re.compile(
    r"(cmp|test|bt|add|sub|inc|dec|neg|and|andn|or|xor|sh[lr]|sar|adc|sbb|i?mul|blsr|blsi|bls\w+|popcnt|[tl]zcnt|bextr|bzhi)[bwlq]?$|"
    r"v?(p?test\w*|u?comis[sd])|kortest\w|ktest\w"
)
_DESTINATION_READ = re.compile(
    r"v?f?n?m(?:add|sub)\w*\d{3}|vp(?:dp|ternlog|ermi2|ermt2|shrdv|shldv)|vpgather|vgather|v?pmadd52|"
    r"(?:add|sub|and|or|xor|sh[lr]|sar|ro[lr]|adc|sbb|inc|dec|neg|not|cmov\w+|bts|btr|btc)[bwlq]?$|imul[wlq]?$"
)
_NO_DESTINATION = re.compile(r"(cmp|test|bt)[bwlq]?$|v?ptest$|vtestp|v?u?comis[sd]$|kortest|ktest|j|call|ret|push|prefetch|nop")
_SAME_IS_ZERO = re.compile(r"v?p?xor|v?xorp[sd]|(xor|sub)[lq]$|v?psub[bwdq]|v?pcmpgt|v?pcmpeq")


@record
class Demand:
    """What an instruction asks of a core."""

    kind: str
    """Of its arithmetic; ``move`` if it only moves registers, ``""`` if it only loads or stores."""
    bits: int
    """Of its widest vector register; 0 for scalars."""
    reads: tuple[str, ...]
    address: tuple[str, ...]
    """Registers of the address it loads from or stores to."""
    writes: tuple[str, ...]
    loads: int
    """Bytes; 0 without a load."""
    stores: int
    slot: str
    """The place in the frame that it loads from or stores to, as a name of its own; empty for other memory."""


def demand_of(instruction: str) -> Demand:
    """What one instruction asks for."""
    mnemonic, _, rest = instruction.partition(" ")
    if mnemonic in ("rep", "lock", "notrack"):
        mnemonic, _, rest = rest.strip().partition(" ")
    operands = _split(rest)
    name = mnemonic.removeprefix("v")
    registers = [register for each in operands for register in _REGISTER.findall(each)]
    bits = max((_bits(register) for register in registers), default=0)
    destination = operands[-1] if operands and not _NO_DESTINATION.match(mnemonic) else ""
    is_lea = mnemonic.startswith("lea")
    memory = next((each for each in operands if _MEMORY.search(each)), "") if not is_lea else ""
    stores = bool(memory) and memory == destination
    both = stores and bool(_DESTINATION_READ.match(mnemonic))
    loads = bool(memory) and (not stores or both)
    size = bytes_moved(mnemonic, memory, bits) if memory else 0
    address = tuple(map(_root, _REGISTER.findall(memory)))
    sources = operands[:-1] if destination else operands
    reads = [_root(register) for each in sources if each != memory for register in _REGISTER.findall(each)]
    writes: list[str] = []
    if destination and not stores:
        named = _REGISTER.findall(destination)
        writes += [_root(named[0])] if named else []
        masks = [_root(each) for each in named[1:]]
        reads += masks
        merges = bool(masks) and "{z}" not in destination
        legacy = bits and not mnemonic.startswith("v") and not mnemonic.startswith(("mov", "cvt", "sqrt", "pshuf", "k"))
        if merges or legacy or _reads_destination(mnemonic, operands):
            reads.append(writes[0])
    if len(operands) > 1 and _SAME_IS_ZERO.match(mnemonic) and operands[0] == operands[1]:
        return Demand("free", bits, (), (), tuple(writes), 0, 0, "")
    if _FLAGS_READ.match(mnemonic):
        reads.append("flags")
    if _FLAGS_WRITTEN.match(mnemonic):
        writes.append("flags")
    if not _MOVES.match(mnemonic):
        kind = _kind(name, bits, registers)
    elif memory:
        kind = ""
    else:
        vectors = [bool(_bits(register)) for register in registers]
        kind = "move" if all(vectors) or not any(vectors) else "to_scalar" if vectors[0] else "from_scalar"
    if memory and "broadcast" in name:
        kind = ""
    if loads and kind == "from_scalar2":
        kind = "shuffle"
    if loads and name.startswith(("insertf", "inserti")):
        kind = "logic"
    slot = f"[{memory}]" if memory and set(address) <= {"rsp", "rbp"} and address else ""
    return Demand(kind, bits, tuple(reads), address, tuple(writes), size if loads else 0, size if stores else 0, slot)


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            parts.append(text[start:index].strip())
            start = index + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts


def _root(register: str) -> str:
    """The one name of a register whose parts have names of their own."""
    vector = _VECTOR_REGISTER.match(register)
    if vector:
        return f"v{vector[1]}"
    numbered = _NUMBERED.match(register)
    return f"r{numbered[1]}" if numbered else _LEGACY.get(register, register)


def _bits(register: str) -> int:
    return {"x": 128, "y": 256, "z": 512}[register[0]] if _VECTOR_REGISTER.match(register) else 0


def _reads_destination(mnemonic: str, operands: list[str]) -> bool:
    return bool(_DESTINATION_READ.match(mnemonic)) and not (mnemonic.startswith("imul") and len(operands) == 3)


def _kind(name: str, bits: int, registers: list[str]) -> str:
    if bits or name.startswith("k"):
        if registers[-1].startswith("k") and re.match(r"p?cmp|ptest", name):
            return "compare_mask"
        return next((kind for pattern, kind in _VECTOR_KINDS if pattern.match(name)), "logic")
    return next((kind for pattern, kind in _SCALAR_KINDS if pattern.match(name)), "integer")

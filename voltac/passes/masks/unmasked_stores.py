"""Stores of all lanes stay stores of all lanes, where the target's masked ones are slow.

LLVM's code generator makes a masked store of a whole one whose value is, in some
lanes, what was there. On AVX a masked store takes tens of cycles on AMD, and a load of
what it wrote waits for it. So, when LLVM has finished simplifying::

    %old = load <8 x float>, ptr %p
    %new = select <8 x i1> %less, <8 x float> %sum, <8 x float> %old
    store <8 x float> %new, ptr %p

becomes

    %kept = call <8 x float> @llvm.arithmetic.fence.v8f32(<8 x float> %new)
    store <8 x float> %kept, ptr %p

The fence is no instruction of the machine.
"""

from __future__ import annotations

import re

from voltac.options import Options
from voltac.system.lazy_patterns import lazy_pattern

_STORE = lazy_pattern(
    r"  store (?P<type><(?P<lanes>\d+) x (?P<element>float|double|i32|i64)>) (?P<value>%\S+), ptr (?P<pointer>%\S+),"
)
_SELECT = lazy_pattern(r"  (?P<name>%\S+) = (?:select|(?:tail )?call [^@]*@llvm\.[su](?:min|max)\.) ?(?P<operands>.*)")
"""Selections, and what becomes one where there is no instruction for it."""
_NAME = lazy_pattern(r"%[^\s,]+")
_LOAD = lazy_pattern(r"  (?P<name>%\S+) = load <\d+ x \w+>, ptr (?P<pointer>%[^\s,]+)")
_FLOATS = {"float": ("float", "f32"), "i32": ("float", "f32"), "double": ("double", "f64"), "i64": ("double", "f64")}


def keep_stores_unmasked(text: str, options: Options) -> str:
    """The module's text, unchanged if there is no such store or masked ones are as fast."""
    target = options.target
    if not target.has_masked_load or target.has_masked_small:
        return text
    loads: dict[str, str] = {}
    selects: dict[str, list[str]] = {}
    declared: set[str] = set()
    result: list[str] = []
    for line in text.split("\n"):
        if line.startswith("define "):
            loads, selects = {}, {}
        elif " = load <" in line and (found := _LOAD.match(line)):
            loads[found["name"]] = found["pointer"]
        elif (" = select " in line or "@llvm." in line) and (found := _SELECT.match(line)):
            selects[found["name"]] = _NAME.findall(found["operands"])
        elif line.startswith("  store <") and (found := _STORE.match(line)):
            if any(loads.get(name) == found["pointer"] for name in selects.get(found["value"], ())):
                line = _fenced(line, found, result, declared)
        result.append(line)
    if not declared:
        return text
    result += sorted(line for line in declared if line not in text)
    return "\n".join(result) + "\n"


def _fenced(line: str, store: re.Match[str], result: list[str], declared: set[str]) -> str:
    kind, suffix = _FLOATS[store["element"]]
    vector = f"<{store['lanes']} x {kind}>"
    name = f"@llvm.arithmetic.fence.v{store['lanes']}{suffix}"
    declared.add(f"declare {vector} {name}({vector})")
    value = store["value"]
    kept = f'%"fenced.{len(result)}"'
    if kind == store["element"]:
        result.append(f"  {kept} = call {vector} {name}({vector} {value})")
        return line.replace(f" {value},", f" {kept},", 1)
    bits, bits_kept = f'%"bits_to_fence.{len(result)}"', f'%"bits_fenced.{len(result)}"'
    result.append(f"  {bits} = bitcast {store['type']} {value} to {vector}")
    result.append(f"  {bits_kept} = call {vector} {name}({vector} {bits})")
    result.append(f"  {kept} = bitcast {vector} {bits_kept} to {store['type']}")
    return line.replace(f" {value},", f" {kept},", 1)

"""Products that are added -> fused multiply-adds, where the language allows it (8.5).

    %p = fmul contract <8 x float> %a, %b
    %q = fmul contract <8 x float> %c, %d           ->     %q = fmul <8 x float> %c, %d
    %s = fadd contract <8 x float> %p, %q                  %s = call <8 x float> @llvm.fma.v8f32(%a, %b, %q)

LLVM's code generator would fuse them, too, but which ones hangs on what it has made of the code by then: of ``a * b + c * d``
it takes what its graph has first, and in ``0.1f * x[i] + 0.4f * x[i + 4] + 0.1f * x[i + 8]`` the last product of a gang of
eight is the first one of the next, so that two gangs at once shared it and one of sixteen did not. Last bits were then others
at 16 lanes than at 8, and at -O1. So it is said here, by what is written, before anything depends on the width:

- a product is fused where all that use it are sums, in the loop that computes it. ``x - floor(x)`` stays what it is: it could
  be below 0 with another ``x`` in the difference than in the whole number;
- with each of them, so that it need not be computed for itself; of two such products in one sum the left one is. A product that
  stands behind such a one somewhere has to be computed anyway, so it does not count: ``a + t * (b - a)`` of products ``a`` and
  ``b`` is fused twice.

No number of uses is in it, so it is the same for loops that are written out, and for bodies that are there twice, with all
lanes on and with a mask.

``choose_fused`` leaves the flag where a product is to be fused; ``fuse_products`` writes that when all other passes, which look
for products and sums, are through. Under fast-math the order is LLVM's.
"""

from __future__ import annotations

from voltac.ir.cfg import control_flow
from voltac.ir.model import Function, Instruction, Module
from voltac.ir.pseudo_operations import suffix
from voltac.ir.types import element_of, lanes_of
from voltac.ir.uses import remove_unused, uses_of
from voltac.options import Options

_MARKED = {op: f" = {op} contract " for op in ("fmul", "fadd", "fsub")}


def choose_fused(module: Module, options: Options) -> None:
    """Take the flag from products that are not to be fused."""
    for function in module.functions:
        products, sums = _products_and_sums(function)
        chosen = _chosen(function, products, sums) if products and sums else set()
        for each in products.values():
            if each.name not in chosen:
                _forbid(each)


def fuse_products(module: Module, options: Options) -> None:
    """Write what is fused; nothing else may be any more."""
    declared: set[str] = set()
    for function in module.functions:
        products, sums = _products_and_sums(function)
        if products and sums:
            declared |= _fuse(function, products, sums)
        for each in (*products.values(), *sums):
            _forbid(each)
    module.declare(sorted(declared))


def _products_and_sums(function: Function) -> tuple[dict[str, Instruction], list[Instruction]]:
    """Those with the flag, the products by name."""
    marked = [each for each in function.instructions() if each.op in _MARKED and _MARKED[each.op] in each.text]
    return {each.name: each for each in marked if each.op == "fmul"}, [each for each in marked if each.op != "fmul"]


def _forbid(each: Instruction) -> None:
    if each.op in _MARKED:
        each.text = each.text.replace(_MARKED[each.op], f" = {each.op} ", 1)


def _chosen(function: Function, products: dict[str, Instruction], sums: list[Instruction]) -> set[str]:
    """The products to be fused."""
    uses, loops = uses_of(function), control_flow(function).loop_of
    home = {each.name: block.name for block in function.blocks for each in block.instructions}
    of_sums = {each.name for each in sums}

    def may_be(name: str) -> bool:
        loop = loops.get(home[name])
        return all(user.name in of_sums and loops.get(home[user.name]) is loop for user in uses.of(name))

    only_added = {name for name in products if may_be(name)}
    pairs = [[operand.value for operand in each.operands] for each in sums]

    def without_second(first: set[str]) -> set[str]:
        return only_added - {right for left, right in pairs if left in first}

    return without_second(without_second(only_added))


def _fuse(function: Function, products: dict[str, Instruction], sums: list[Instruction]) -> set[str]:
    """Of a function; the declarations that this takes."""
    fresh = function.fresh_names()
    in_front: dict[str, Instruction] = {}
    declared: set[str] = set()

    def negated(sum: Instruction, value: str) -> str:
        if sum.op == "fadd":
            return value
        name = fresh("negated")
        in_front[sum.name] = Instruction(f"  {name} = fneg {sum.type} {value}")
        return name

    for sum in sums:
        left, right = (each.value for each in sum.operands)
        if left in products:
            first, second = (each.value for each in products[left].operands)
            third = negated(sum, right)
        elif right in products:
            first, second = (each.value for each in products[right].operands)
            first, third = negated(sum, first), left
        else:
            continue
        type, debug = sum.type, sum.parts.metadata.get("dbg")
        name = f"@llvm.fma.{suffix(element_of(type), lanes_of(type))}"
        declared.add(f"declare {type} {name}({type}, {type}, {type})")
        attached = f", !dbg {debug}" if debug else ""
        sum.text = f"  {sum.name} = call {type} {name}({type} {first}, {type} {second}, {type} {third}){attached}"
    for block in function.blocks if in_front else ():
        pairs = [(in_front.get(each.name), each) for each in block.instructions]
        block.instructions = [made for pair in pairs for made in pair if made is not None]
    remove_unused(function, products.keys())
    return declared

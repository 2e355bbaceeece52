"""Selection rules of operations on registers with several numbers (IA-64 7, 8): almost all are an instruction each."""

from __future__ import annotations

_SIZES = ("1", "2", "4")
_OF_TWO = (
    *(f"{name}{size}" for name in ("padd", "psub") for size in _SIZES),
    *(f"{name}{size}.{kind}" for name in ("padd", "psub") for size in "12" for kind in ("sss", "uuu")),
    *(f"pcmp{size}.{relation}" for size in _SIZES for relation in ("eq", "gt")),
    *(f"{name}{size}.{half}" for size in _SIZES for name, halves in (("unpack", "lh"), ("mix", "lr")) for half in halves),
    *("pmin1.u", "pmax1.u", "pmin2", "pmax2", "psad1", "pavg1.raz", "pavg2.raz"),
)
_OF_FLOATS = ("fpmerge.s", "fpmerge.ns", "fmix.l", "fmix.r", "fmix.lr", "fswap", "for", "fand")
_OF_FLOATS_BY_STATUS = (
    "fpmin", "fpmax", *(f"fpcmp.{one}" for one in ("eq", "lt", "le", "unord", "neq", "nlt", "nle", "ord")),
)  # fmt: skip
"""By a status field, which is the first for what rounds and the second for what compares."""


def _lines() -> list[str]:
    lines = [f"call.ia64.{name}(a, b) -> {name}.r=r,r a b" for name in _OF_TWO]
    lines += [f"call.ia64.{name}(a, b) -> {name}.f=f,f a b" for name in _OF_FLOATS]
    for name in _OF_FLOATS_BY_STATUS:
        field = "s1" if name.startswith("fpcmp") else "s0"
        lines.append(f"call.ia64.{name}(a, b) -> {name}.{field}.f=f,f a b")
    lines += [f"call.ia64.{name}(a, b, c) -> {name}.s0.f=f,f,f a b c" for name in ("fpma", "fpms", "fpnma")]
    for count in ("0", "16"):
        lines.append(f"call.ia64.pmpyshr2.u(a, b, n:is{count}) -> pmpyshr2.u.r=r,r,{count} a b")
    for size in "24":
        lines += [
            f"call.ia64.pshl{size}(a, b) -> pshl{size}.r=r,r a b",
            f"call.ia64.pshl{size}(a, n:count5) -> pshl{size}.r=r,ccount5 a n",
        ]
        for sign in ("", ".u"):
            lines += [
                f"call.ia64.pshr{size}{sign}(a, b) -> pshr{size}{sign}.r=r,r a b",
                f"call.ia64.pshr{size}{sign}(a, n:count5) -> pshr{size}{sign}.r=r,count5 a n",
            ]
    lines += [f"call.ia64.mux1.{name}(a) -> mux1.r=r,@{name} a" for name in ("brcst", "rev", "mix", "shuf", "alt")]
    return lines


PACKED_RULES_TEXT = """
call.ia64.mux2(a, n:mux)    -> mux2.r=r,mux a n
call.ia64.fpack(a, b)       -> fpack.f=f,f a b
call.ia64.fselect(a, b, c)  -> fselect.f=f,f,f a b c
call.ia64.fpcvt.fx.trunc(a) -> fpcvt.fx.trunc.s1.f=f a
bitcast.s.v(a)              -> setf.sig.f=r a
bitcast.v.s(a)              -> getf.sig.r=f a
""" + "".join(f"{line}\n" for line in _lines())

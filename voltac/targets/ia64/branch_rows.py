"""Rows of branches, and of what goes to their unit besides (IA-64 9; formats B1 to B9)."""

from __future__ import annotations

from voltac.codegen.rows import Row
from voltac.targets.ia64.shapes import B, row

_WHETHER = {"sptk": 0, "spnt": 1, "dptk": 2, "dpnt": 3}
_PREFETCH = {"few": 0, "many": 1}


def _branches() -> list[Row]:
    rows = []
    for hint, wh in _WHETHER.items():
        for amount, p in _PREFETCH.items():
            end = f"{hint}.{amount}"
            layout = f"0100 target[20:20] 0 {wh:02b} target[19:0] {p} 000 {{type:03b}}"
            rows.append(row(f"br.cond.{end} {{target}}", B, layout.format(type=0), "", "branch,conditional"))
            for name, type in (("wexit", 2), ("wtop", 3), ("cloop", 5), ("cexit", 6), ("ctop", 7)):
                rows.append(
                    row(f"br.{name}.{end} {{target}}", B, layout.format(type=type), f"{name}()", "branch,conditional,loop")
                )
            layout = f"0101 target[20:20] 0 {wh:02b} target[19:0] {p} 000 b1:3"
            rows.append(row(f"br.call.{end} {{b1}}={{target}}", B, layout, "", "call"))
            layout = f"0000 0 0 {wh:02b} {{x6:06b}} 00000000000 b2:3 {p} 000 {{type:03b}}"
            rows.append(row(f"br.cond.{end} {{b2}}", B, layout.format(x6=0x20, type=0), "", "branch,conditional,indirect"))
            rows.append(row(f"br.ret.{end} {{b2}}", B, layout.format(x6=0x21, type=4), "", "return"))
            layout = f"0001 0 0 {2 * wh + 1:03b} 0000000000000000 b2:3 {p} 000 b1:3"
            rows.append(row(f"br.call.{end} {{b1}}={{b2}}", B, layout, "", "call,indirect"))
    plain = "0000 0000 {x6:06b} 000000000000000000000"
    rows.append(row("clrrrb", B, plain.format(x6=4), "; clear_rotation(True)", "clrrrb"))
    rows.append(row("clrrrb.pr", B, plain.format(x6=5), "; clear_rotation(False)", "clrrrb"))
    rows.append(row("nop.b {uimm}", B, "0010 uimm[20:20] 000 000000 0 uimm[19:0]", "", "nop"))
    rows.append(row("break.b {uimm}", B, "0000 uimm[20:20] 000 000000 0 uimm[19:0]", "; break_(uimm)", "break"))
    return rows


BRANCH_ROWS = tuple(_branches())
"""All of the unit. What the loop branches ask and change is told by a function each, named like the branch."""

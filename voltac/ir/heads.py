"""The text of an instruction -> its name and its operation.

    "  %x = tail call i32 @f()"  ->  %x, call, tail

Every instruction that is read or written goes through here, so the usual spelling, LLVM's and ours, is told by where its
spaces are, in a third of the time that a pattern takes.
"""

from __future__ import annotations

from voltac.system.lazy_patterns import lazy_pattern

_ANY = lazy_pattern(r'\s*(?:(%(?:"[^"]*"|[-\w$.]+)) = )?(?:(tail|musttail|notail) )?([\w#]+)')
_USUAL = {
    word: word
    for word in (
        *("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"),
        *("fadd", "fsub", "fmul", "fdiv", "frem", "fneg", "icmp", "fcmp", "select", "freeze", "phi", "call"),
        *("trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp", "ptrtoint", "inttoptr"),
        *("bitcast", "load", "store", "getelementptr", "alloca", "extractelement", "insertelement", "shufflevector"),
        *("extractvalue", "insertvalue", "br", "switch", "ret", "atomicrmw", "cmpxchg"),
    )
}
"""Each to the one string for it, which comparisons and look-ups know again without looking at its characters."""
_BEFORE_CALLS = frozenset(("tail", "musttail", "notail"))


def split_head(text: str) -> tuple[str, str, str, int]:
    """Name, operation (``tail call`` is ``call``), the word before a call, and the place behind the operation."""
    if text[:2] == "  ":
        name, start = "", 2
        if text[2:3] == "%" and text[3:4] != '"':
            end = text.find(" = ", 3)
            name, start = text[2:end], end + 3
        end = text.find(" ", start)
        word = text[start:end]
        operation = _USUAL.get(word)
        if operation is not None:
            return name, operation, "", end
        if word in _BEFORE_CALLS and text.startswith("call ", end + 1):
            return name, "call", word, end + 5
    found = _ANY.match(text)
    if found is None:
        return "", "", "", 0
    return found[1] or "", found[3], found[2] or "", found.end()

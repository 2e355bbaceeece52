"""What a notebook shows of kernels and modules: signature, target, what each line became, the paths of its statements."""

from __future__ import annotations

from collections.abc import Sequence

from voltac.driver import explanation_of
from voltac.messages.diagnostics import CompileError
from voltac.pipeline import InputError
from voltac.python.compare_paths import constructs
from voltac.python.lengths import omissible
from voltac.python.signatures import Signature
from voltac.python.source import Source
from voltac.records import replace
from voltac.report.comparison_page import instruction_legend, paths_of
from voltac.report.explanation_page import explained_lines
from voltac.report.page import chips, escaped, folded, fragment, spans
from voltac.report.source_colours import coloured


def kernel_view(source: Source, signature: Signature, accepted: Sequence[str]) -> str:
    """``accepted`` says what each parameter takes. Compiles the program again, which takes as long as it did."""
    rows = (
        f"<tr><td><code>{escaped(row.name)}</code><td style='text-align:left'>{escaped(text)}"
        for row, text in zip(signature.parameters, accepted, strict=True)
    )
    table = f"<table>{''.join(rows)}</table>" if signature.parameters else ""
    head = f"{_title(str(signature))}{_chips(source, ('call', _call(signature)))}{_documentation(signature)}{table}"
    return fragment(head + _compiled(source, signature.name))


def module_view(source: Source, signatures: Sequence[Signature], warnings: str) -> str:
    """Its kernels with their comments, the explanation of the program, and what the compiler warned of."""
    parts = [f"<p class=title><b>{escaped(source.file)}</b></p>", _chips(source, ("kernels", str(len(signatures))))]
    parts += [f"{_title(str(one))}{_documentation(one)}" for one in signatures]
    if warnings:
        parts.append(folded("Warnings", "".join(map(_warning, warnings.strip().split("\n\n")))))
    return fragment("".join(parts) + _compiled(source, ""))


def _warning(text: str) -> str:
    """The lines of a message wrap; those of the source do not, since carets stand below them."""
    message, _, excerpt = text.partition("\n")
    return f"<p class=quiet>{escaped(message)}</p><pre class=excerpt tabindex=0>{escaped(excerpt)}</pre>"


def _title(signature: str) -> str:
    (pieces,) = coloured([signature])
    return f"<p class=title><code>{spans(pieces)}</code></p>"


def _chips(source: Source, *more: tuple[str, str]) -> str:
    target = source.options.target
    return chips(("target", target.name), ("lanes", str(target.width)), ("optimised", f"-O{source.options.level}"), *more)


def _call(signature: Signature) -> str:
    """As Python calls it; what may be left out is in brackets."""
    optional = omissible(signature)
    names = (f"[{row.name}]" if number in optional else row.name for number, row in enumerate(signature.parameters))
    return f"{signature.name}({', '.join(names)})"


def _documentation(signature: Signature) -> str:
    text = signature.documentation.strip()
    return f"<p>{escaped(text)}</p>" if text else ""


def _compiled(source: Source, function: str) -> str:
    """What it takes a compilation to say of a function, or of all; nothing where the source cannot be compiled any more."""
    if not source.text:
        return ""
    # What is kept of the compilations goes with this object.
    source = replace(source)
    try:
        found = explanation_of(source.kept)
        both = constructs(source, function)[function] if function else ()
    except (CompileError, InputError) as error:
        return f"<p class=quiet>It cannot be compiled again: {escaped(str(error))}</p>"
    if function:
        found = found.of_function(function)
    shown = [folded("What the lines became", explained_lines(found), is_open=bool(function))]
    if both:
        told = f"{instruction_legend()}{''.join(paths_of(one, '') for one in both)}"
        how = f"<p class=quiet><code>{escaped(function)}.compare()</code> measures both.</p>"
        shown.append(folded("All lanes on, and under a mask", told + how))
    return "".join(shown)

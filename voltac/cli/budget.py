"""``--budget FILE`` of a compilation: written where there is none, else what costs more is an error at its place."""

from __future__ import annotations

import os
from collections.abc import Sequence

from voltac.cli.option_table import Namespace, UsageError
from voltac.cli.outputs import Output
from voltac.cli.products import last_stage
from voltac.driver import explanation_of, read_source
from voltac.messages.diagnostics import Diagnostics
from voltac.messages.message import NOWHERE, Note
from voltac.messages.visible import visible_name
from voltac.options import Options
from voltac.pipeline import STAGE_NAMES, Compilation, InputError
from voltac.report.budget import Budget, NotABudget, budget_text, cost_of, excesses, read_budget, told, with_cost
from voltac.report.cycles.families import family_of

_MOST_PLACES = 8
"""In a message."""


def require_whole_compilation(arguments: Namespace, targets: Sequence[Options]) -> None:
    """UsageError where there is nothing to count: a part of the pipeline, a device."""
    stopped = arguments.begin or arguments.stop_after or last_stage(arguments) not in ("", STAGE_NAMES[-1])
    if stopped:
        raise UsageError(
            "option '--budget' is for whole compilations, not for parts (-E, --begin-at, --end-after, --stop-after)"
        )
    device = next((options.target for options in targets if options.target.is_device), None)
    if device is not None:
        raise UsageError(f"option '--budget' is for CPUs, and '{device.name}' is a device; 'voltac sim' counts its cycles")


def checked_budget(path: str, jobs: Sequence[Compilation], diagnostics: Diagnostics) -> list[Output]:
    """Errors for what costs more than the file has; the file to write where that lacks something or is not there."""
    known: Budget = {}
    before = ""
    if os.path.exists(path):
        before = read_source(path)
        try:
            known = read_budget(before)
        except NotABudget as error:
            raise InputError(f"{path} is no budget: {error}") from None
    after = known
    for job in jobs:
        cost = cost_of(explanation_of(job), job.program, job.product.assembly(comments=True), family_of(job.options))
        for excess in excesses(cost, known):
            span, text = told(excess, cost.target, visible_name(path))
            notes = [Note(place, "one of them") for place in dict.fromkeys(excess.places[:-1]) if place != span]
            diagnostics.error("budget", span if span.line else NOWHERE, text, *notes[:_MOST_PLACES])
        after = with_cost(after, cost)
    text = budget_text(after)
    return [] if text == before else [Output(path, text.encode())]

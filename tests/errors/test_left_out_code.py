"""Code that constants leave out gets no warnings about its values: instances of templates have it for other arguments."""

import pytest

from .marked import assert_row, reported

SILENT: dict[str, str] = {
    "case": "switch (N) { case 2: r = a[1]; break; case 4: r = a[3]; a[2] = r; break; case 5: { r = a[4]; } }",
    "fall through": "switch (N) { case 4: r = a[3]; case 5: r += a[4]; break; case 2: r = a[1]; }",
    "behind a return": "switch (N) { case 2: return a[1]; case 4: return a[3]; }",
    "default": "switch (N) { case 2: r = a[1]; break; default: r = a[N]; }",
    "if": "if (N > 3) { r = a[3]; if (r > 0) a[2] = 1; }",
    "else": "if (N == 2) r = a[1]; else r = a[3];",
    "selection": "r = N > 3 ? a[3] : a[1]; r = N <= 3 ? r : a[2] + r / 0;",
    "and": "if (N > 3 && a[3] > 0) r = 1;",
    "or": "if (N < 3 || a[3] > 0) r = 1;",
    "shifts and divisions": "if (N > 3) r = r << (N * 20) | r / (N - 2) | r % 0 | r >> 32;",
    "a slow operation": "if (N > 3) r = r / a[0];",
}

GIVEN: dict[str, str] = {
    "case": "switch (N) { case 4: break; case 2: r = «a[2]»; }",
    "fallen into": "switch (N) { case 2: r = 1; case 4: r = «a[3]»; }",
    "behind a break under a condition": "switch (N) { case 2: if (r > 0) break; r = «a[3]»; break; case 4: a[0] = 1; }",
    "default": "switch (N) { default: r = «a[2]»; break; case 4: r = a[3]; }",
    "if": "if (N < 3) r = «a[2]»;",
    "else": "if (N > 3) r = 1; else r = «a[2]»;",
    "selection": "r = N > 3 ? 1 : «a[2]»;",
    "and": "if (N < 3 && «a[2]» > 0) r = 1;",
    "behind it": "if (N > 3) r = a[3]; r = «a[2]»;",
}


def instance(body: str) -> str:
    return (
        f"template <int N> int pick(int r) {{ int a[N]; a[0] = a[1] = r; {body} return r + a[0]; }}\n"
        "export void f(uniform int o[]) { o[programIndex] = pick<2>(o[programIndex]); }"
    )


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_what_constants_leave_out_is_not_warned_of(body: str) -> None:
    assert [item.text for item in reported(instance(body))] == []


@pytest.mark.parametrize("body", GIVEN.values(), ids=GIVEN)
def test_what_they_leave_in_is(body: str) -> None:
    assert_row(("", "warning: outside the array", instance(body)))

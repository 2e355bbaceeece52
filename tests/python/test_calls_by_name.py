"""Arguments by name, defaults of the language and omitted lengths; Python's own rules for calls say what is right."""

from __future__ import annotations

import inspect
import random
import sys
from typing import Any

import numpy as np
import pytest

import voltac

SOURCE = """
enum Colour { RED, GREEN = 7 };
export uniform int64 weighted(uniform int a, uniform int b, uniform int c = 3, uniform int d = -4, uniform bool e = true) {
    return a + 100 * b + 10000 * (uniform int64)c + 1000000 * (uniform int64)d + (e ? 100000000000 : 0);
}
export uniform unsigned int64 largest(uniform unsigned int64 x = 0xffffffffffffffff) { return x; }
export uniform double real(uniform double x = -1.5, uniform float y = 1.0 / 3) { return x + y; }
export uniform bool infinite(uniform float x = 1.0f / 0.0f) { return x > 3e38; }
export uniform unsigned int colour(uniform Colour c = GREEN) { return c; }
export uniform bool absent(const uniform float a[] = NULL) { return a == NULL; }
export uniform float sum(uniform float a[n], uniform float b[n], uniform float by = 2, uniform int n = 0) {
    varying float total = 0;
    foreach (i = 0 ... n)
        total += a[i] + by * b[i];
    return reduce_add(total);
}
"""


@pytest.fixture(scope="module", params=["entry", "checked"])
def k(request: pytest.FixtureRequest) -> Any:
    """The kernels, called through their entry points and through the definition of what these accept."""
    module = voltac.compile(SOURCE, target="sse4-i32x4", cache=False)
    if request.param == "entry":
        return module
    return type("Checked", (), {name: module[name]._arguments for name in module} | {"code": module})


def weighted(a: int, b: int, c: int = 3, d: int = -4, e: int = True) -> int:
    return a + 100 * b + 10000 * c + 1000000 * d + (100000000000 if e else 0)


@pytest.mark.parametrize("seed", range(4))
def test_calls_are_bound_as_those_of_a_python_function(k: Any, seed: int) -> None:
    chance = random.Random(seed)
    names = list(inspect.signature(weighted).parameters)
    accepted = 0
    for _ in range(300):
        values = {name: chance.randrange(50) for name in names} | {"e": chance.random() < 0.5}
        given = [values[name] for name in names[: chance.randrange(7)]] + [1] * chance.choice((0, 0, 0, 0, 1))
        by_name = {name: values[name] for name in chance.sample(names, chance.randrange(4))}
        if chance.random() < 0.05:
            by_name["z"] = 1
        try:
            expected = weighted(*given, **by_name)
        except TypeError:
            with pytest.raises(TypeError, match=r"^weighted\(\) "):
                k.weighted(*given, **by_name)
        else:
            assert k.weighted(*given, **by_name) == expected
            accepted += 1
    assert accepted > 20


def test_defaults_of_every_kind(k: Any) -> None:
    assert k.largest() == 2**64 - 1 and k.largest(x=5) == 5
    assert k.real() == -1.5 + float(np.float32(1 / 3)) and k.real(y=0.5) == -1.0
    assert k.infinite() is True and k.infinite(1.0) is False
    assert k.colour() == 7 and k.colour(0) == 0
    assert k.absent() is True and k.absent(a=np.zeros(1, np.float32)) is False


def test_a_length_is_that_of_the_arrays_even_if_it_has_a_default(k: Any) -> None:
    a, b = np.arange(5, dtype=np.float32), np.ones(5, np.float32)
    assert k.sum(a, b) == k.sum(b=b, a=a) == k.sum(a, b, n=5) == 20
    assert k.sum(a, b, 0.0) == k.sum(a, b, by=0) == 10
    assert k.sum(a, b, n=2) == 5
    with pytest.raises(ValueError, match=r"sum\(\) needs 'n', as arrays differ in length: 'a' has 5, 'b' has 4"):
        k.sum(a, b[:4])
    with pytest.raises(ValueError, match="with at least 6 elements"):
        k.sum(a, b, n=6)


def test_equal_names_need_not_be_the_same_object(k: Any) -> None:
    name = "".join(["a", "bc"])[:1] + ""
    assert k.weighted(**{name: 1, sys.intern("b"): 2}) == weighted(1, 2)
    assert k.weighted(**{str(b"b", "ascii"): 2, "a": 1}) == weighted(1, 2)


def test_a_parameter_may_have_any_name() -> None:
    source = "export uniform int f(uniform int self, uniform int given, uniform int by_name) { return self - given * by_name; }"
    for target in ("sse4-i32x4", "naplespu"):
        f = voltac.compile(source, target=target, cache=False).f
        for call in (f, f._arguments) if target != "naplespu" else (f,):
            assert call(self=20, given=3, by_name=np.int64(4)) == 8


def test_many_parameters_have_names_too() -> None:
    names = [f"p{number}" for number in range(70)]
    for count in (63, 64, 70):
        parameters = ", ".join(f"uniform int {name} = {number}" for number, name in enumerate(names[:count]))
        total = " + ".join(names[:count])
        f = voltac.compile(f"export uniform int f({parameters}) {{ return {total}; }}", target="sse4-i32x4", cache=False).f
        assert f() == sum(range(count))
        assert f(p1=100, p62=0) == sum(range(count)) + 99 - 62
        assert f(*range(1, count)) == sum(range(1, count)) + count - 1


def test_calls_keep_no_references_to_defaults() -> None:
    module = voltac.compile(SOURCE, target="sse4-i32x4", cache=False)
    default = module.real.parameters[0].default
    before = sys.getrefcount(default)
    for _ in range(1000):
        module.real()
        module.real(y=1)
    assert sys.getrefcount(default) == before


def test_signature_documentation_and_stub_show_defaults() -> None:
    module = voltac.compile(SOURCE, target="sse4-i32x4", cache=False)
    assert module.weighted.signature.endswith("uniform int32 c = 3, uniform int32 d = -4, uniform bool e = true)")
    assert str(module.weighted.__signature__) == "(a, b, c=3, d=-4, e=True)"
    assert "const uniform float * uniform a = NULL" in module.absent.signature
    assert "def weighted(a: int, b: int, c: int = ..., d: int = ..., e: bool = ...) -> int" in module.stub()
    compile(module.stub(), "stub", "exec")
    with pytest.raises(TypeError, match="takes 2 to 5 arguments, 0 given; missing: 'a', 'b'"):
        module.weighted()

"""Functions of the C library that ``--math-lib=system`` calls: ``__c_sin`` is C's ``sin``, and ``sinf`` of a float."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voltac.sema.builtins.rows import REALS, UNSAFE, Effect, Lanes, Meaning, Value, declares

if TYPE_CHECKING:
    from voltac.sema.builtins.gang import Gang

C_ONE = ("acos", "asin", "atan", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "log", "log1p", "log2",
         "sin", "sinh", "tan", "tanh")  # fmt: skip
C_TWO = ("atan2", "pow")
"""By the number of arguments."""


def _c_function(name: str) -> Meaning:
    """The function itself, of the C library of this process."""

    def run(gang: Gang, *arguments: Value) -> Value:
        import ctypes  # late: a compilation does without it

        dtype = arguments[0].dtype
        single = dtype == gang.np.float32
        number = ctypes.c_float if single else ctypes.c_double
        function = getattr(ctypes.CDLL("libm.so.6"), name + "f" * single)
        function.restype, function.argtypes = number, [number] * len(arguments)
        return dtype.type(function(*map(float, arguments)))

    return run


_builtin = declares(Effect.NONE, Lanes.OWN)
for _name in (*C_ONE, *C_TWO):
    _builtin(UNSAFE, "u T", ("u T",) * (1 + (_name in C_TWO)), REALS, f"__c_{_name}")(_c_function(_name))

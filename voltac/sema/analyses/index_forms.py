"""Integer expressions → sums of products of variables, to compare the addresses of different iterations.

``y * width + x + 3`` is ``{(width, y): 1, (x,): 1, (): 3}``. Variables that are
declared once and never changed stand for what they were declared with.
"""

from __future__ import annotations

from voltac.messages.message import Span
from voltac.records import record
from voltac.sema import tree
from voltac.sema.types import UNIFORM, Scalar

Product = tuple[int, ...]
"""Identities of variables, sorted; empty for the constant part."""

_MOST_TERMS = 32
"""Sums of indices have a few; a product of two sums has as many terms as both together multiplied."""


@record
class IndexForm:
    """A sum: product of variables -> its coefficient, never 0."""

    terms: dict[Product, int]

    @property
    def constant(self) -> int:
        """The term without variables."""
        return self.terms.get((), 0)

    def plus(self, other: IndexForm, factor: int = 1) -> IndexForm:
        """The sum with ``factor`` times another form."""
        terms = dict(self.terms)
        for product, coefficient in other.terms.items():
            terms[product] = terms.get(product, 0) + factor * coefficient
        return IndexForm({product: coefficient for product, coefficient in terms.items() if coefficient})

    def times(self, other: IndexForm) -> IndexForm:
        """The product, multiplied out."""
        terms: dict[Product, int] = {}
        for left, one in self.terms.items():
            for right, two in other.terms.items():
                product = tuple(sorted(left + right))
                terms[product] = terms.get(product, 0) + one * two
        return IndexForm({product: coefficient for product, coefficient in terms.items() if coefficient})

    def of_variable(self, variable: int) -> IndexForm | None:
        """The factor of a variable; None if the form is not linear in it."""
        terms: dict[Product, int] = {}
        for product, coefficient in self.terms.items():
            if product.count(variable) > 1:
                return None
            if variable in product:
                place = product.index(variable)
                terms[product[:place] + product[place + 1 :]] = coefficient
        return IndexForm(terms)

    def variables(self) -> set[int]:
        """Identities of all that occur."""
        return {variable for product in self.terms for variable in product}


def constant_form(value: int) -> IndexForm:
    """The form of a number."""
    return IndexForm({(): value} if value else {})


class IndexReader:
    """Reads expressions; ``symbols`` tells what the identities in the forms are."""

    def __init__(self, initials: dict[tree.VariableSymbol, tree.Value]) -> None:
        """``initials``: variables that are never written after their declaration, and what they begin with."""
        self.initials = initials
        self.narrowed: dict[tree.VariableSymbol, Span] | None = None
        """Parameters that count as themselves where they are converted to fewer bits, and where that is; None: none do."""
        self.symbols: dict[int, tree.VariableSymbol] = {}
        self.named: dict[tuple[object, ...], tree.VariableSymbol] | None = None
        """Numbers that are no sums of products, as ``width / 2`` -> what stands for each; None: they have no form."""

    def form(self, value: tree.Value) -> IndexForm | None:
        """None for what is no sum of products of integer variables, or may wrap around."""
        found = self._form(value)
        return found if found is not None and len(found.terms) <= _MOST_TERMS else None

    def _form(self, value: tree.Value) -> IndexForm | None:
        match value:
            case tree.Constant() if isinstance(value.value, int):
                return constant_form(int(value.value))
            case tree.Broadcast():
                return self.form(value.value)
            case tree.Convert() if _is_widening(value):
                return self.form(value.value)
            case tree.Convert(value=tree.Load(place=tree.Variable(symbol=symbol))) if self.narrowed is not None:
                if symbol.kind != "parameter" or not _is_signed(value) or not _is_integer(value.value):
                    return None
                self.narrowed.setdefault(symbol, value.span)
                self.symbols[id(symbol)] = symbol
                return IndexForm({(id(symbol),): 1})
            case tree.Load(place=tree.Variable(symbol=symbol)):
                return self.variable(symbol)
            case tree.Unary(operator="-") if _is_signed(value):
                inner = self.form(value.operand)
                return None if inner is None else constant_form(0).plus(inner, -1)
            case tree.Binary(operator="+" | "-" | "*" as operator) if _is_signed(value):
                left, right = self.form(value.left), self.form(value.right)
                if left is None or right is None:
                    return None
                if operator == "*":
                    return left.times(right)
                return left.plus(right, 1 if operator == "+" else -1)
            case tree.Binary() if self.named is not None and _is_signed(value) and value.type.rate is UNIFORM:
                return self._named(value, self.named)
        return None

    def _named(self, value: tree.Binary, known: dict[tuple[object, ...], tree.VariableSymbol]) -> IndexForm | None:
        """A variable that stands for what is computed of parameters, the same wherever it is computed."""
        left, right = self.form(value.left), self.form(value.right)
        if left is None or right is None:
            return None
        for variable in left.variables() | right.variables():
            symbol = self.symbols[variable]
            if symbol.kind != "parameter" or symbol.assigned or symbol.address_taken or symbol.type.rate is not UNIFORM:
                return None
        key = (value.operator, value.type.type, frozenset(left.terms.items()), frozenset(right.terms.items()))
        symbol = known.setdefault(key, tree.VariableSymbol(value.operator, value.type, "parameter"))
        self.symbols[id(symbol)] = symbol
        return IndexForm({(id(symbol),): 1})

    def variable(self, symbol: tree.VariableSymbol) -> IndexForm | None:
        """The form of what a variable was declared with, else the variable itself; None for what is no signed integer."""
        if not isinstance(symbol.type.type, Scalar) or symbol.type.type.kind != "int":
            return None
        initial = self.initials.get(symbol)
        if initial is not None:
            found = self.form(initial)
            if found is not None:
                return found
        self.symbols[id(symbol)] = symbol
        return IndexForm({(id(symbol),): 1})


def _is_signed(value: tree.Value) -> bool:
    """Arithmetic that does not wrap around: overflow of signed integers is undefined."""
    kind = value.type.type
    return isinstance(kind, Scalar) and kind.kind == "int" and kind.bits >= 32


def _is_integer(value: tree.Value) -> bool:
    kind = value.type.type
    return isinstance(kind, Scalar) and kind.kind in ("int", "uint")


def _is_widening(value: tree.Convert) -> bool:
    to, given = value.type.type, value.value.type.type
    return isinstance(to, Scalar) and isinstance(given, Scalar) and given.kind == "int" == to.kind and given.bits <= to.bits

"""What the syntax tests share: one text in, its tokens, its tree or its messages out."""

import contextlib
import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voltac.messages.diagnostics import CompileError, Diagnostics
from voltac.options import Options
from voltac.syntax import Preprocessed, ast, parse, preprocess
from voltac.target_info import find_target

OPTIONS = Options(target=find_target("avx2-i32x8"))


def preprocessed(text: str, file: str = "t.ispc", **options: Any) -> Preprocessed:
    return preprocess(text, file, dataclasses.replace(OPTIONS, **options), Diagnostics())


def tokens(text: str, **options: Any) -> list[str]:
    """The tokens that are left of a text after preprocessing."""
    return preprocessed(text, **options).texts


@dataclass
class Message:
    kind: str
    line: int
    column: int
    text: str


def messages(text: str, **options: Any) -> list[Message]:
    """What preprocessing and parsing a text report."""
    diagnostics = Diagnostics()
    chosen = dataclasses.replace(OPTIONS, **options)
    with contextlib.suppress(CompileError):
        parse(preprocess(text, "t.ispc", chosen, diagnostics), chosen, diagnostics)
    return [Message(item.kind, item.span.line, item.span.column, item.text) for item in diagnostics.items]


def message(text: str, **options: Any) -> Message:
    """The only message about a text."""
    found = messages(text, **options)
    assert len(found) == 1, found
    return found[0]


def tree(text: str) -> tuple[Any, ...]:
    """The declarations of a text that is right."""
    diagnostics = Diagnostics()
    unit = parse(preprocess(text, "t.ispc", OPTIONS, diagnostics), OPTIONS, diagnostics)
    assert not diagnostics.items, diagnostics.render()
    return unit.declarations


def statements(text: str) -> Any:
    """The statements of a function body."""
    (function,) = tree(f"void f() {{ {text} }}")
    return function.body.statements


def expression(text: str) -> Any:
    (statement,) = statements(text + ";")
    return statement.expression


def shown(node: Any) -> str:
    """An expression with all its parentheses, for comparing structure by eye."""
    match node:
        case ast.Name(name=name):
            return str(name)
        case ast.IntegerLiteral(value=value) | ast.FloatLiteral(value=value):
            return str(value)
        case ast.BoolLiteral(value=value):
            return str(value).lower()
        case ast.NullLiteral():
            return "NULL"
        case ast.Unary(operator=operator, operand=operand):
            return f"({operator}{shown(operand)})"
        case ast.Postfix(operator=operator, operand=operand):
            return f"({shown(operand)}{operator})"
        case ast.Binary(operator=operator, left=left, right=right):
            return f"({shown(left)} {operator} {shown(right)})"
        case ast.Assignment(operator=operator, target=target, value=value):
            return f"({shown(target)} {operator} {shown(value)})"
        case ast.Conditional(condition=condition, then=then, otherwise=otherwise):
            return f"({shown(condition)} ? {shown(then)} : {shown(otherwise)})"
        case ast.Index(base=base, index=index):
            return f"{shown(base)}[{shown(index)}]"
        case ast.Member(base=base, name=name, arrow=arrow):
            return f"{shown(base)}{'->' if arrow else '.'}{name}"
        case ast.Call(function=function, arguments=arguments):
            return f"{shown(function)}({', '.join(shown(argument) for argument in arguments)})"
        case ast.Cast(type=type_name, operand=operand):
            return f"(({spelled(type_name)}){shown(operand)})"
        case ast.SizeOf(operand=ast.TypeName() as operand):
            return f"sizeof({spelled(operand)})"
        case ast.SizeOf(operand=operand):
            return f"(sizeof {shown(operand)})"
    raise AssertionError(node)


def spelled(node: ast.TypeName) -> str:
    """A type read aloud: 'uniform pointer to const uniform float'."""
    return declared(node.specifiers, node.declarator)


def declared(specifiers: ast.Specifiers, declarator: ast.Declarator) -> str:
    """What a declarator declares, read aloud from its name outwards."""
    words = [word.text for word in (*specifiers.storage, *specifiers.qualifiers)]
    if specifiers.soa:
        words.insert(0, f"soa<{specifiers.soa}>")
    for kind in specifiers.types:
        match kind:
            case ast.AtomicType(name=name) | ast.NamedType(name=name):
                words.append(name)
            case ast.StructSpecifier(name=name):
                words.append(f"struct {name}")
            case ast.EnumSpecifier(name=name):
                words.append(f"enum {name}")
    if specifiers.vector_length is not None:
        words[-1] += f"<{specifiers.vector_length}>"
    text = " ".join(words)
    layers = []
    while not isinstance(declarator, ast.NameDeclarator):
        layers.append(declarator)
        declarator = declarator.inner
    for layer in layers:
        match layer:
            case ast.PointerDeclarator(qualifiers=qualifiers):
                text = " ".join([*(word.text for word in qualifiers), "pointer to", text])
            case ast.ReferenceDeclarator():
                text = f"reference to {text}"
            case ast.ArrayDeclarator(size=size):
                text = f"array [{'' if size is None else shown(size)}] of {text}"
            case ast.FunctionDeclarator(parameters=parameters):
                inside = ", ".join(declared(parameter.specifiers, parameter.declarator) for parameter in parameters)
                text = f"function ({inside}) returning {text}"
    return f"{declarator.name}: {text}" if declarator.name else text


REPOSITORY = Path(__file__).resolve().parent.parent.parent

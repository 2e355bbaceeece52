"""The tree as written: what the parser makes of a file, one class a construct.

Nothing is resolved here: names are text, types are type syntax, operators are
their spelling. Section 4 of the language reference is the grammar. Nodes are
never changed after they are built; each carries the span of its text.
"""

from voltac.syntax.ast.declarations import *
from voltac.syntax.ast.node import *
from voltac.syntax.ast.statements import *
from voltac.syntax.ast.types_and_expressions import *

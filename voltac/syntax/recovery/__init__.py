"""Syntax errors: where to go on after one, so that one mistake gives one message and the rest is still read (language 4.7).

Each guess at what is wrong is a row of :data:`~voltac.syntax.recovery.table.GUESSES`: the first that fits gives the message
and, mostly, the repair. The list of tokens is changed, the parser's stacks are taken back to where the changed text begins,
and reading goes on there:

* ``words.py``: a misspelt keyword or a word of another language is read as the right one;
* ``type_names.py``: an unknown type is made known, and its declaration is read again;
* ``unclosed_blocks.py``: a block that was not closed, as the indentation shows, is closed;
* ``edits.py``: one token is put in, taken out or changed, if what follows up to the end of the statement can be read then;
* ``given_up.py``: otherwise the operand, head, statement, member or declaration is replaced by one token, ``MISTAKE``, which
  becomes an ``ast.Mistake`` with the names in it, so that later stages are silent about those.

A :class:`~voltac.syntax.recovery.cursor.Cursor` looks, an :class:`~voltac.syntax.recovery.editor.Editor` changes. Only files
with mistakes import any of this.
"""

from voltac.syntax.recovery.cursor import Parse
from voltac.syntax.recovery.recover import Recovery

__all__ = ["Parse", "Recovery"]

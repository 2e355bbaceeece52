"""Text → tree as written: preprocessor, lexer, parser. Knows no types."""

from voltac.syntax.parser import parse
from voltac.syntax.preprocessed import Preprocessed, comment_above
from voltac.syntax.preprocessor import preprocess

__all__ = ["Preprocessed", "comment_above", "parse", "preprocess"]

"""The language: text to tree and back."""

from recollect.kernel.lang import ast
from recollect.kernel.lang.cursor import literal
from recollect.kernel.lang.parser import parse
from recollect.kernel.lang.printer import print_text

__all__ = ["ast", "literal", "parse", "print_text"]

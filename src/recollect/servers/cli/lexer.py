"""Colours for KIP: one Pygments lexer for the shell, the demo and error messages."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Token,
    Whitespace,
)

from recollect.kernel import WORDS, WordKind

_OF_FUNCTIONS = (WordKind.AGGREGATE, WordKind.TEXT_TEST, WordKind.TEST, WordKind.ARITHMETIC)
STATEMENTS = tuple(one.word for one in WORDS if one.kind is WordKind.STATEMENT)
"""The keywords that begin a statement."""

FUNCTIONS = tuple(one.word for one in WORDS if one.kind in _OF_FUNCTIONS)
KEYWORDS = tuple(one.word for one in WORDS if one.kind not in _OF_FUNCTIONS)


class KipLexer(RegexLexer):
    """Splits a KIP text into coloured parts; it accepts any text at all."""

    name = "KIP"
    aliases: ClassVar[list[str]] = ["kip"]
    filenames: ClassVar[list[str]] = ["*.kip"]

    tokens: ClassVar[dict[str, list[object]]] = {
        "root": [
            (r"\s+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r'"(\\.|[^"\\\n])*"(?=\s*:)', Name.Tag),
            (r'"(\\.|[^"\\\n])*"?', String.Double),
            (r"\?\w+", Name.Variable),
            (r"@\w+", Name.Label),
            (r"\$\w+|:[A-Za-z_]\w*", Name.Variable.Global),
            (words(KEYWORDS, prefix=r"\b", suffix=r"\b"), Keyword),
            (words(FUNCTIONS, prefix=r"\b", suffix=r"\b"), Name.Function),
            (r"\b(true|false|null)\b", Keyword.Constant),
            (r"-?\d+(\.\d+)?([eE][+-]?\d+)?", Number),
            (r"[A-Za-z_]\w*(?=\s*:)", Name.Tag),
            (r"==|!=|<=|>=|&&|\|\||[<>!|=]", Operator),
            (r"[{}()\[\],:]", Punctuation),
            (r"[^\W\d]\w*", Name),
            (r".", Token.Text),
        ]
    }

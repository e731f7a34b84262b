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

KEYWORDS = (
    "FIND", "WHERE", "ATTR", "META", "FILTER", "NOT", "OPTIONAL", "UNION", "ORDER", "BY",
    "ASC", "DESC", "LIMIT", "OFFSET", "AS", "DISTINCT", "UPSERT", "CONCEPT", "PROPOSITION",
    "SET", "ATTRIBUTES", "PROPOSITIONS", "WITH", "METADATA", "DELETE", "FROM", "DETACH",
    "DESCRIBE", "PRIMER", "DOMAINS", "TYPES", "TYPE", "SEARCH", "MODE", "THRESHOLD", "CURSOR",
    "UPDATE", "MERGE", "INTO", "EXPECT", "VERSION", "EXPORT", "EXPLAIN",
)  # fmt: skip
STATEMENTS = (
    "FIND", "UPSERT", "UPDATE", "MERGE", "DELETE", "DESCRIBE", "SEARCH", "EXPORT", "EXPLAIN",
)  # fmt: skip
"""The keywords that begin a statement."""

FUNCTIONS = (
    "COUNT", "COLLECT", "SUM", "AVG", "MIN", "MAX", "CONTAINS", "STARTS_WITH", "ENDS_WITH",
    "REGEX", "IN", "IS_NULL", "IS_NOT_NULL", "ADD", "MUL", "CLAMP", "COALESCE",
)  # fmt: skip


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

"""The deterministic functions that SQL text may call, made known to a connection.

With them what the text index is asked besides "which": how long a document is, where a word stands.
The rule: every answer is about single documents or words, never the engine's totals, which span
every group.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable

import apsw

from recollect.kernel.store.cells import SqlValue, public_id, row_digest
from recollect.kernel.store.functions import canonical_json, re2_search
from recollect.model import normal_text


def register_search(connection: apsw.Connection, check: Callable[[], None]) -> None:
    """Make REGEX ask before each search whether it may go on; `check` raises where it may not."""

    def search(pattern: str | None, text: str | None) -> int:
        check()
        return re2_search(pattern, text)

    made: Callable[..., SqlValue] = search
    connection.create_scalar_function("re2_search", made, 2, deterministic=True)


def _public_id(id_bits: bytes, element: int | None) -> str | None:
    return None if element is None else public_id(id_bits, element)


def register_functions(connection: apsw.Connection) -> None:
    """Make the functions callable from the SQL of one connection."""
    functions: tuple[tuple[str, Callable[..., SqlValue], int], ...] = (
        ("canonical_json", canonical_json, 1),
        ("re2_search", re2_search, 2),
        ("public_id", _public_id, 2),
        ("normal_text", normal_text, 1),
        ("row_digest", row_digest, -1),
    )
    for name, function, arguments in functions:
        connection.create_scalar_function(name, function, arguments, deterministic=True)


TOKENIZER = ("porter", "ascii")
"""What the index in the schema is made with: the engine's part of turning text into tokens."""

_INSTANCES = """
CREATE VIRTUAL TABLE IF NOT EXISTS temp.text_instance USING fts5vocab (main, text_index, instance)
"""


def register_texts(connection: apsw.Connection) -> None:
    """Add what search asks a connection for; the connection must still accept tables.

    `text_length(text_index)` is a document's tokens, in a query with `text_index` in its FROM.
    `text_stem(word)` is a word as the index holds it. The table `text_instance (term, doc, col,
    offset)` has a row for every occurrence of a word.
    """
    connection.register_fts5_function("text_length", _length)
    here = weakref.ref(connection)  # a strong one would keep the connection open for good

    def stem(*words: apsw.SQLiteValue) -> str:
        (word,), (name, *arguments) = words, TOKENIZER
        connection = here()
        assert connection is not None
        assert isinstance(word, str)
        tokenize = connection.fts5_tokenizer(name, arguments)
        reason = apsw.FTS5_TOKENIZE_QUERY
        (stemmed,) = tokenize(
            word.encode(), reason, None, include_offsets=False, include_colocated=False
        )
        return str(stemmed)

    connection.create_scalar_function("text_stem", stem, 1, deterministic=True)
    connection.execute(_INSTANCES)


def document_length(size: bytes) -> int:
    """Return the tokens of a document from the engine's own record of its size.

    The record is one integer, seven bits a byte, in the column `text_index_docsize.sz`.

    >>> document_length(bytes([0x81, 0x02]))
    130
    """
    length = 0
    for byte in size:
        length = length << 7 | byte & 0x7F
    return length


def _length(api: apsw.FTS5ExtensionApi, *_: apsw.SQLiteValue) -> int:
    return api.column_size(0)

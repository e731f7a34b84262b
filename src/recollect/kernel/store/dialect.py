"""What differs between SQL engines: tables of functions and of words, and a few renderings.

With it the index that a declared attribute gets: it spells the value as the compiler does, since an
expression index serves only its own spelling. No two attributes share a name of an index: the
engine ignores the case of ASCII in names, so capital letters are marked.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Protocol

from recollect.kernel.store.statement import Statement, spell
from recollect.node import dataclass

ORDERS = ("<", "<=", ">", ">=")
"""What a value may be compared with a constant by; each is a function of a dialect."""


class JsonPart(StrEnum):
    """What to take of a JSON value: its type's name, its JSON text, its SQL value, or an id."""

    TYPE = "type"
    JSON = "json"
    VALUE = "value"
    ID = "id"


class RenderJson(Protocol):
    """Renders a part of a JSON document whose SQL text is given."""

    def __call__(self, part: JsonPart, document: str, key: str | None) -> str:
        """Return the SQL text."""


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """One engine's spelling of the SQL tree."""

    name: str
    functions: Mapping[str, str]
    inner_join: str  # a join whose order the engine keeps, unless it is kept by fences
    is_fenced: bool  # whether each further table is read inside a fence, so that loops stay loops
    render_json: RenderJson
    apart: str  # what ends a subquery that must not be merged into the query around it
    parameter: str  # what a bound parameter begins with: ":"
    longest_name: int | None  # bytes of a name, where there is a limit
    words: Mapping[str, str]  # what statements say in braces
    is_remote: bool  # whether statements travel to a server, each with rows of its own
    has_types: bool  # whether each expression has one type, and says it: `:limit::bigint`
    id_bits: Callable[[bytes], bytes]  # of a group, as the function `public_id` takes them
    pattern: Callable[[str], str] | None  # a regular expression of RE2 as the engine's; None: as is
    value_order: tuple[tuple[str, str], ...]  # functions of values of one class, and their types
    overrides: Mapping[Statement, str]  # what this engine says in quite another way

    def spell(self, statement: Statement) -> str:
        """Return the text of a statement for this engine, made once. Cost: a look-up."""
        found = statement.spelt.get(self.name)
        if found is None:
            own = self.overrides.get(statement)
            text = statement.text if own is None else own
            found = spell(text, self.words, has_types=self.has_types)
            statement.spelt[self.name] = found
        return found

    def word(self, name: str, *arguments: str) -> str:
        """Return a word, for a text that is put together where it is asked."""
        return self.words[name].format(*arguments)


_PLAIN, _MARKED = PREFIXES = "attribute:", "attribute^:"
"""What the names of such indexes begin with; the attribute follows, without or with marks."""

BUILT = Statement("SELECT built.name FROM {attribute_indexes built} WHERE built.is_whole")
"""The names of all that can be used."""

BEGUN = Statement("SELECT built.name FROM {attribute_indexes built}")
"""The names of all that there are, with those whose making was broken off."""

_CAPITAL = re.compile(r"[A-Z]")
_TO_MARK = re.compile(r"[A-Z^]")


def create_attribute_index(attribute: str, dialect: Dialect) -> str:
    """Return the statement that indexes an attribute of concepts, for all groups and types.

    The values stand after the group, the type and the clock, so that a comparison is one range.
    """
    value = dialect.render_json(JsonPart.VALUE, dialect.word("json", "attributes"), attribute)
    return (
        f"CREATE INDEX IF NOT EXISTS {quoted(index_name(attribute, dialect))}"
        f" ON concept (group_id, type, expired_at, {dialect.word('indexed', value)})"
        f" WHERE {value} IS NOT NULL"
    )


def drop_attribute_index(name: str) -> str:
    """Return the statement that removes the index of that name."""
    return f"DROP INDEX IF EXISTS {quoted(name)}"


def index_name(attribute: str, dialect: Dialect) -> str:
    """Return the name of the index of an attribute: `attribute:code`, `attribute^:^Code`.

    One that the engine would cut off ends in a digest instead.
    """
    name = _PLAIN + attribute
    if _CAPITAL.search(attribute) is not None:
        name = _MARKED + _TO_MARK.sub(r"^\g<0>", attribute)
    most = dialect.longest_name
    if most is None or len(name.encode()) <= most:
        return name
    return f"{_PLAIN}{hashlib.sha256(attribute.encode()).hexdigest()[:32]}"


def quoted(name: str) -> str:
    """Return the name of an index as it stands in a statement."""
    return '"' + name.replace('"', '""') + '"'

"""What a group declares: definitions, indexes of attributes, and that it declares all it uses.

The index that a declared attribute gets spells the value as the compiler does, since an expression
index serves only its own spelling. No two attributes share a name of an index: the engine ignores
the case of ASCII in names, so capital letters are marked.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

from recollect.kernel.store.port import Dialect, JsonPart
from recollect.kernel.store.statement import Statement

_DEFINITION: Final = """
SELECT c.name, c.id, c.public_id, c.attributes, c.metadata FROM concept AS c
WHERE c.group_id = :group AND c.type = (
    SELECT t.code FROM term AS t WHERE t.group_id = :group AND {equals t.text :meta})
"""

DEFINITIONS: Final = Statement(f"""
{_DEFINITION} AND c.expired_at > :known AND c.born_at <= :known ORDER BY c.name
""")

DEFINITION: Final = Statement(
    f"{_DEFINITION} AND {{equals c.name :name}} AND c.expired_at = :living"
)

DEFINED: Final = Statement("""
SELECT DISTINCT c.name FROM {texts names w} CROSS JOIN concept AS c
WHERE {equals c.name w.value} AND c.group_id = :group AND c.type = (
    SELECT t.code FROM term AS t WHERE t.group_id = :group AND {equals t.text :meta})
  AND c.expired_at > :known AND c.born_at <= :known
""")

FLAGGED: Final = Statement("""
SELECT c.name FROM concept AS c
WHERE c.group_id = :group AND c.type = (
    SELECT t.code FROM term AS t WHERE t.group_id = :group AND {equals t.text :meta})
  AND c.expired_at = :living AND {json c.attributes} -> :attribute = 'true'
""")
"""The definitions whose attribute is `true`."""

INDEXES: Final = Statement("""
SELECT a.type, a.attribute FROM attribute_index AS a
WHERE a.group_id = :group ORDER BY a.type, a.attribute
""")

INDEXED: Final = Statement(
    "SELECT DISTINCT a.attribute FROM attribute_index AS a ORDER BY a.attribute"
)

ADD_INDEX: Final = Statement("""
INSERT INTO attribute_index (group_id, type, attribute) VALUES (:group, :type, :attribute)
ON CONFLICT DO NOTHING
""")

REMOVE_INDEX: Final = Statement("""
DELETE FROM attribute_index WHERE group_id = :group AND type = :type AND attribute = :attribute
""")

CONCEPTS: Final = Statement("SELECT count(*) FROM concept")
"""Of every group: an index holds those of all."""

MAKE_STRICT: Final = Statement("INSERT INTO schema_mode (group_id, mode) VALUES (:group, :mode)")

MAKE_OPEN: Final = Statement("DELETE FROM schema_mode WHERE group_id = :group")

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

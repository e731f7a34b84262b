"""The text of the index that a declared attribute gets.

It spells the value as the compiler does, since an expression index serves only its own spelling.
No two attributes share a name of an index: the engine ignores the case of ASCII in names, so
capital letters are marked.
"""

from __future__ import annotations

import re

from recollect.kernel.sql.dialect import Dialect, Part

_PLAIN, _MARKED = PREFIXES = "attribute:", "attribute^:"
"""What the names of such indexes begin with; the attribute follows, without or with marks."""

BUILT = """
SELECT s.name FROM sqlite_schema AS s WHERE s.type = 'index' AND s.name LIKE 'attribute%:%'
"""
"""The names of all that there are."""

_CAPITAL = re.compile(r"[A-Z]")
_TO_MARK = re.compile(r"[A-Z^]")


def create_attribute_index(attribute: str, dialect: Dialect) -> str:
    """Return the statement that indexes an attribute of concepts, for all groups and types.

    The values stand after the group, the type and the clock, so that a comparison is one range.
    """
    value = dialect.render_json(Part.VALUE, "attributes", attribute)
    return (
        f"CREATE INDEX IF NOT EXISTS {quoted(index_name(attribute))}"
        f" ON concept (group_id, type, expired_at, {value}) WHERE {value} IS NOT NULL"
    )


def drop_attribute_index(name: str) -> str:
    """Return the statement that removes the index of that name."""
    return f"DROP INDEX IF EXISTS {quoted(name)}"


def index_name(attribute: str) -> str:
    """Return the name of the index of an attribute.

    >>> index_name("code"), index_name("Code"), index_name("^Code")
    ('attribute:code', 'attribute^:^Code', 'attribute^:^^^Code')
    """
    if _CAPITAL.search(attribute) is None:
        return _PLAIN + attribute
    return _MARKED + _TO_MARK.sub(r"^\g<0>", attribute)


def quoted(name: str) -> str:
    """Return the name of an index as it stands in a statement."""
    return '"' + name.replace('"', '""') + '"'

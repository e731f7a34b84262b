"""The text of the index that a declared attribute gets.

It spells the value as the compiler does, since an expression index serves only its own spelling.
"""

from __future__ import annotations

from recollect.kernel.sql.dialect import Dialect, Part

PREFIX = "attribute:"
"""What the name of every such index begins with; the attribute follows."""


def create_attribute_index(attribute: str, dialect: Dialect) -> str:
    """Return the statement that indexes an attribute of concepts, for all groups and types.

    The values stand after the group, the type and the clock, so that a comparison is one range.
    """
    value = dialect.render_json(Part.VALUE, "attributes", attribute)
    return (
        f"CREATE INDEX IF NOT EXISTS {index_name(attribute)}"
        f" ON concept (group_id, type, expired_at, {value}) WHERE {value} IS NOT NULL"
    )


def drop_attribute_index(attribute: str) -> str:
    """Return the statement that removes the index of an attribute."""
    return f"DROP INDEX IF EXISTS {index_name(attribute)}"


def index_name(attribute: str) -> str:
    """Return the quoted name of the index of an attribute."""
    return '"' + (PREFIX + attribute).replace('"', '""') + '"'

"""Groups spread over the machines of Citus: every table by its group, all rows of one together.

The rule: what belongs to a group is on one machine, so that its statements are; names of groups,
purges and migrations belong to none and are on all of them. What is distributed is read from
Citus's own list, so that doing it again changes nothing.
"""

from __future__ import annotations

from typing import Final

import psycopg
from psycopg import Connection

from recollect.errors import NOT_FOUND, refused
from recollect.kernel.store.cells import text
from recollect.kernel.store.port import SqlRow
from recollect.kernel.store.postgres.address import parse_server
from recollect.kernel.store.postgres.faults import translated
from recollect.kernel.store.postgres.migrations import holds_tables
from recollect.kernel.store.postgres.pool import connected
from recollect.kernel.store.postgres.roles import OF_GROUPS, OF_NO_GROUP

_FIRST: Final = "grp"  # the table that all others stand beside
_IS_THERE: Final = "SELECT to_regclass('pg_dist_partition') IS NOT NULL"
_DISTRIBUTED: Final = """
SELECT c.relname::text FROM pg_dist_partition AS p JOIN pg_class AS c ON c.oid = p.logicalrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1
"""
_SETTINGS: Final = """
SELECT set_config('search_path', $1, true),
  set_config('citus.multi_shard_modify_mode', 'sequential', true)
"""
_EVERYWHERE: Final = "SELECT create_reference_table($1::text::regclass)"
_BY_GROUP: Final = """
SELECT create_distributed_table($1::text::regclass, 'group_id', colocate_with => $2::text)
"""
_FUNCTIONS: Final = """
SELECT create_distributed_function(p.oid::regprocedure) FROM pg_proc AS p
JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE n.nspname = $1 ORDER BY p.oid
"""
_FREE: Final = "SELECT truncate_local_data_after_distributing_table($1::text::regclass)"


def distribute_tables(address: str) -> tuple[str, ...]:
    """Distribute the tables of a store, and return those that were not yet.

    INVALID_ARGUMENT where the database lacks the extension `citus`; KIP_3002 where there is no
    store. Nobody writes meanwhile. What the coordinator had of the rows is removed from it.
    """
    known = parse_server(address)
    schema = known.schema
    with connected(known) as connection:
        if not holds_tables(connection, schema):
            message = f'the schema "{schema}" holds no memory'
            raise NOT_FOUND.error(message, "make it: recollect init")
        try:
            if connection.execute(_IS_THERE).fetchone() != (1,):
                raise refused(
                    'the database does not have the extension "citus"',
                    "have a superuser run: CREATE EXTENSION citus; see docs/citus.md",
                )
            missing = undistributed(connection, schema)
            with connection.transaction():
                connection.execute(_SETTINGS, (f'"{schema}", public',))
                _distribute(connection, schema, missing)
            for table in (*OF_NO_GROUP, *OF_GROUPS):
                connection.execute(_FREE, (_named(schema, table),))
        except psycopg.Error as error:
            raise translated(error) from error
    return missing


def undistributed(connection: Connection[SqlRow], schema: str) -> tuple[str, ...]:
    """Return the tables of a store that Citus does not have yet, in the order they are given it."""
    done = {text(name) for (name,) in connection.execute(_DISTRIBUTED, (schema,)).fetchall()}
    first_last = (*OF_NO_GROUP, _FIRST, *(one for one in OF_GROUPS if one != _FIRST))
    return tuple(one for one in first_last if one not in done)


def refuse_distributed(connection: Connection[SqlRow], schema: str) -> None:
    """Refuse row level security with INVALID_ARGUMENT where a store is distributed.

    The name of a group is a setting of the transaction, which no other machine is told.
    """
    if connection.execute(_IS_THERE).fetchone() != (1,):
        return
    if connection.execute(_DISTRIBUTED, (schema,)).fetchone() is not None:
        raise refused(
            "row level security is not offered for a memory that is distributed",
            "leave ?rls=on out of the address",
        )


def _distribute(connection: Connection[SqlRow], schema: str, tables: tuple[str, ...]) -> None:
    if tables:  # columns and indexes of the parts are made with them
        connection.execute(_FUNCTIONS, (schema,))
    for table in tables:
        named = _named(schema, table)
        if table in OF_NO_GROUP:
            connection.execute(_EVERYWHERE, (named,))
        else:
            beside = "none" if table == _FIRST else _named(schema, _FIRST)
            connection.execute(_BY_GROUP, (named, beside))


def _named(schema: str, table: str) -> str:
    return f'"{schema}".{table}'

"""Two roles, and the wall that the server itself keeps between groups: row level security.

The rule: the owner makes the tables and sees all of them; the user sees the rows of the one group
that a transaction names in `recollect.group`, and nothing where it names none.
"""

from __future__ import annotations

import re
from typing import Final

from psycopg import Connection

from recollect.errors import STORE_UNAVAILABLE, refused
from recollect.kernel.store.cells import EVERY_GROUP
from recollect.kernel.store.port import SqlRow
from recollect.kernel.store.postgres.address import parse_server
from recollect.kernel.store.postgres.migrations import whole_store
from recollect.kernel.store.postgres.pool import GROUP_SETTING, SETTINGS

OF_NO_GROUP: Final = ("erasure", "group_name", "migration")
"""The tables whose rows are of the whole store, or are asked for by a name."""

TABLES: Final = tuple(one.name for one in whole_store() if one.is_table)
OF_GROUPS: Final = tuple(one for one in TABLES if one not in OF_NO_GROUP)

_WALLED: Final = (*OF_GROUPS, "group_name")
_ROLE: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_NAMED: Final = f"current_setting('{GROUP_SETTING}', true)"
_OPEN: Final = """
SELECT c.relname::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relname = ANY ($2::text[]) AND NOT row_security_active(c.oid)
ORDER BY c.relname LIMIT 1
"""
_SCRIPT: Final = """
-- The roles of a memory on PostgreSQL. A superuser runs it on the database of the memory, after the
-- first opening, and again after an upgrade: psql --file roles.sql
BEGIN;
DO $$ BEGIN
  IF to_regrole('{owner}') IS NULL THEN CREATE ROLE {owner} LOGIN; END IF;
  IF to_regrole('{user}') IS NULL THEN CREATE ROLE {user} LOGIN; END IF;
END $$;
{settings}

-- The owner: tables, functions, upgrades, indexes of attributes, doctor; it sees all groups.
ALTER SCHEMA {schema} OWNER TO {owner};
{owned}
DO $$ DECLARE one regprocedure; BEGIN
  FOR one IN SELECT p.oid FROM pg_proc AS p WHERE p.pronamespace = '{schema}'::regnamespace LOOP
    EXECUTE format('ALTER ROUTINE %s OWNER TO {owner}', one);
  END LOOP;
END $$;

-- The user: whoever writes and reads, by an address with ?rls=on.
GRANT USAGE ON SCHEMA {schema} TO {user};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {user};
REVOKE INSERT, UPDATE, DELETE ON {schema}.migration FROM {user};
DO $$ BEGIN
  IF current_setting('server_version_num')::int >= 170000 THEN  -- VACUUM after a purge
    EXECUTE 'GRANT MAINTAIN ON ALL TABLES IN SCHEMA {schema} TO {user}';
  END IF;
END $$;

-- The wall.
{walls}
COMMIT;

-- The server tests no text by an index before it has tested the group, unless it trusts what the
-- index is made with. With these lines, which only a superuser may run, names are found at once:
ALTER FUNCTION pg_catalog.left(text, integer) LEAKPROOF;
ALTER FUNCTION {schema}.rest_of(text) LEAKPROOF;
ALTER FUNCTION {schema}.indexed(jsonb) LEAKPROOF;
ALTER FUNCTION pg_catalog.jsonb_object_field(jsonb, text) LEAKPROOF;
"""
_WALL: Final = """
ALTER TABLE {schema}.{table} ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS {policy} ON {schema}.{table};
CREATE POLICY {policy} ON {schema}.{table}{command} USING ({condition});
"""


def roles_script(address: str, owner: str, user: str) -> str:
    """Return what makes the two roles and the wall; once run, running it again changes nothing."""
    schema = parse_server(address).schema
    for one in (owner, user):
        if _ROLE.fullmatch(one) is None:
            raise refused(
                "the name of a role is not 1 to 63 of a-z, 0-9 and _", "use recollect_user"
            )
    number = f'(SELECT n.group_id FROM "{schema}".group_name AS n WHERE n.name = {_NAMED})'  # noqa: S608
    walls = [(one, "own_group", "", f"group_id = {number}") for one in OF_GROUPS]
    walls.append(("group_name", "own_group", "", f"name = {_NAMED}"))
    of_all = ("attribute_index", "every_group", " FOR SELECT", f"group_id = {EVERY_GROUP}")
    names = {"schema": f'"{schema}"', "owner": f'"{owner}"', "user": f'"{user}"'}
    return _SCRIPT.lstrip().format(
        **names,
        settings="\n".join(
            f'ALTER ROLE "{role}" SET {name} = {value};'
            for role in (owner, user)
            for name, value in SETTINGS.items()
        ),
        owned="\n".join(f'ALTER TABLE "{schema}".{one} OWNER TO "{owner}";' for one in TABLES),
        walls="".join(
            _WALL.format(
                **names, table=table, policy=policy, command=command, condition=condition
            ).lstrip()
            for table, policy, command, condition in (*walls, of_all)
        ),
    )


def refuse_without_wall(connection: Connection[SqlRow], schema: str) -> None:
    """Raise STORE_UNAVAILABLE where the server would show a role the rows of other groups."""
    is_open = connection.execute(_OPEN, (schema, list(_WALLED))).fetchone()
    if is_open is not None:
        raise STORE_UNAVAILABLE.error(
            f'no row level security holds for the role "{connection.info.user}"',
            "run what recollect database roles prints, and use its user in the address",
        )


def refuse_behind_wall(connection: Connection[SqlRow], schema: str) -> None:
    """Raise STORE_UNAVAILABLE where the server would show a role nothing, as if nothing was there.

    An address without `rls=on` names no group to it.
    """
    seen = connection.execute("SELECT row_security_active($1)", (f'"{schema}".concept',))
    if seen.fetchall() == [(1,)]:
        raise STORE_UNAVAILABLE.error(
            f'row level security hides every group from the role "{connection.info.user}"',
            "add rls=on to the address, or use that of the owner of the tables",
        )

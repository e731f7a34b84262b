"""Groups by their names, on a server.

The rule: a group is found by its name once, and all else is asked of its number. Names stand in a
table apart from `grp`, since a name is one in the whole store, and the rows of different groups may
be on different machines. What asks by a name is a function, so that it is one round trip.
"""

from __future__ import annotations

from typing import Final

GROUP_NAMES: Final = """
CREATE TABLE group_name (
    name        text COLLATE "C" PRIMARY KEY,
    group_id    bigint NOT NULL UNIQUE
);
INSERT INTO group_name (name, group_id) SELECT g.name, g.group_id FROM grp AS g;
UPDATE erasure SET last_group = greatest(last_group, (SELECT max(g.group_id) FROM grp AS g));
ALTER TABLE grp DROP CONSTRAINT grp_name_key;

CREATE FUNCTION group_named(given text) RETURNS TABLE (begun bigint, group_id bigint, name text,
    id_bits bytea, is_strict boolean, last_n bigint, number bigint, at bigint, chain bytea)
LANGUAGE plpgsql STABLE AS $$  -- one row, and nothing of a group in it where there is none
#variable_conflict use_column
DECLARE
    wanted bigint;
BEGIN
    SELECT e.begun INTO begun FROM erasure AS e;
    SELECT n.group_id INTO wanted FROM group_name AS n WHERE n.name = given;
    IF FOUND THEN
        SELECT g.group_id, g.name, g.id_bits, g.last_n, g.number, g.at, g.chain
            INTO group_id, name, id_bits, last_n, number, at, chain
            FROM grp AS g WHERE g.group_id = wanted;
        is_strict := EXISTS (SELECT 1 FROM schema_mode AS m WHERE m.group_id = wanted);
    END IF;
    RETURN NEXT;
END $$;

CREATE FUNCTION lock_group(given text, waits boolean) RETURNS bigint
LANGUAGE plpgsql AS $$  -- its number; nothing where there is none
DECLARE
    wanted bigint;
BEGIN
    SELECT n.group_id INTO wanted FROM group_name AS n WHERE n.name = given;
    IF waits THEN
        PERFORM 1 FROM grp AS g WHERE g.group_id = wanted FOR UPDATE;
    ELSE
        PERFORM 1 FROM grp AS g WHERE g.group_id = wanted FOR UPDATE NOWAIT;
    END IF;
    RETURN CASE WHEN FOUND THEN wanted END;
END $$;

CREATE FUNCTION make_group(given text, bits bytea, hash bytea) RETURNS bigint
LANGUAGE plpgsql AS $$  -- a number comes once: others may still hold that of a dropped group
DECLARE
    made bigint;
BEGIN
    UPDATE erasure SET last_group = last_group + 1 RETURNING last_group INTO made;
    INSERT INTO group_name (name, group_id) VALUES (given, made);
    INSERT INTO grp (group_id, name, id_bits, number, at, chain)
        VALUES (made, given, bits, 0, 0, hash);
    RETURN made;
END $$;

CREATE FUNCTION drop_group(dropped bigint) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM grp WHERE group_id = dropped;
    DELETE FROM group_name WHERE group_id = dropped;
END $$;
"""

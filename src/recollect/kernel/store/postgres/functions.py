"""The functions that the server gets: immutable, and the same answers as the kernel's own.

The rule: `value_of` is what a JSON text is compared as. A number in it is the exact value of
what was said, so that whole numbers of 64 bits and doubles are equal only where they are; `jsonb`
by itself would take the shortest decimal of a double for it.
"""

from __future__ import annotations

from typing import Final

CALLED: Final = r"""
CREATE OR REPLACE FUNCTION value_of(document text) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF document ~ '[0-9][eE]' THEN
        RETURN exact_json(document::json);
    END IF;
    RETURN document::jsonb;
END $$;

CREATE OR REPLACE FUNCTION digest_of(value text) RETURNS bytea
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN sha256(convert_to(value, 'UTF8'));
END $$;
"""
"""Those of columns and indexes. Each write plans them anew, and would read a text of SQL again to
put it in their place: a third to a half of the time of one row.
"""

ANY_VALUE: Final = """
DO $$
BEGIN
    IF current_setting('server_version_num')::int < 160000 THEN
        CREATE FUNCTION first_of(held anyelement, other anyelement) RETURNS anyelement
        LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT $1';
        CREATE AGGREGATE any_value(anyelement)
            (SFUNC = first_of, STYPE = anyelement, COMBINEFUNC = first_of, PARALLEL = SAFE);
    END IF;
END $$;
"""
"""What PostgreSQL 16 brought: the server before it gets one of our own, and a newer one its own
still where a database has come from there, since `pg_catalog` is looked at first.
"""

ORDERED: Final = r"""
DO $$
DECLARE
    made text[] := ARRAY(SELECT pg_get_indexdef(c.oid) FROM pg_class AS c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'i'
          AND c.relname LIKE 'attribute%:%');
    one text;
BEGIN
    FOR one IN SELECT c.relname FROM pg_class AS c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'i'
          AND c.relname LIKE 'attribute%:%' LOOP
        EXECUTE format('DROP INDEX %I', one);
    END LOOP;
    DROP FUNCTION indexed(jsonb);
    CREATE FUNCTION indexed(value jsonb) RETURNS bytea
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $body$
    DECLARE
        bits bigint;
    BEGIN
        CASE jsonb_typeof(value)
            WHEN 'string' THEN
                RETURN '\x03'::bytea || convert_to(left(value #>> '{}', 500), 'UTF8');
            WHEN 'number' THEN
                bits := ('x' || encode(float8send(value::float8 + 0), 'hex'))::bit(64)::bigint;
                IF bits < 0 THEN  -- the order of negative ones is the other way round
                    bits := bits # 9223372036854775807;
                END IF;
                RETURN '\x02'::bytea || int8send(bits # (-9223372036854775807 - 1));
            WHEN 'boolean' THEN
                RETURN '\x01'::bytea || boolsend(value::boolean);
            ELSE
                RETURN '\x04'::bytea || int8send(jsonb_hash_extended(value, 0));
        END CASE;
    END $body$;
    FOREACH one IN ARRAY made LOOP
        EXECUTE one;
    END LOOP;
END $$;
"""
"""What an index has of a value: bytes in the order of numbers, and of texts by code points.

Of a number it is the nearest double, of a text the first 500 characters, of all else a digest: the
value itself is compared as well.
"""

FUNCTIONS: Final = r"""
CREATE FUNCTION exact_json(document json) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    number float8;
BEGIN
    CASE json_typeof(document)
        WHEN 'object' THEN
            RETURN (SELECT coalesce(jsonb_object_agg(m.key, exact_json(m.value)), '{}')
                FROM json_each(document) AS m);
        WHEN 'array' THEN
            RETURN (SELECT coalesce(jsonb_agg(exact_json(i.value) ORDER BY i.place), '[]')
                FROM json_array_elements(document) WITH ORDINALITY AS i(value, place));
        WHEN 'number' THEN
            IF document::text !~ '[eE]' THEN
                RETURN document::jsonb;
            END IF;
            number := document::text::float8;
            IF abs(number) < 9007199254740992 OR number >= 9223372036854775808
                OR number < -9223372036854775808 THEN
                RETURN document::jsonb;
            END IF;
            RETURN to_jsonb(number::bigint);
        ELSE
            RETURN document::jsonb;
    END CASE;
END $$;

CREATE FUNCTION indexed(value jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$  -- an index has no room for a long one
    SELECT CASE WHEN octet_length(value::text) <= 500 THEN value
        WHEN jsonb_typeof(value) = 'string'
            THEN to_jsonb(hashtextextended(value #>> '{}' COLLATE "C", 0)::text)
        ELSE to_jsonb(jsonb_typeof(value)) END
$$;

CREATE FUNCTION rest_of(value text) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$  -- by itself, so that a short one costs no call
    SELECT CASE WHEN char_length(value) <= 500 THEN ''::bytea ELSE digest_of(value) END
$$;

CREATE FUNCTION canonical_number(number numeric) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    parts text[];
BEGIN
    IF number = trunc(number)
        AND number BETWEEN -9223372036854775808 AND 9223372036854775807 THEN
        RETURN trunc(number)::text;
    END IF;
    IF abs(number) >= 0.00001 AND abs(number) < 10000000000000000 THEN
        RETURN trim_scale(number)::text;
    END IF;
    parts := regexp_match(number::float8::text, '^([^e]*)e([+-])0*([0-9]+)$');
    RETURN parts[1] || 'e' || CASE parts[2] WHEN '-' THEN '-' ELSE '' END || parts[3];
END $$;

CREATE FUNCTION canonical_json(value jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    CASE jsonb_typeof(value)
        WHEN 'object' THEN
            RETURN (SELECT '{' || coalesce(string_agg(
                    to_json(m.key)::text || ':' || canonical_json(m.value), ','
                    ORDER BY m.key COLLATE "C"), '') || '}'
                FROM jsonb_each(value) AS m);
        WHEN 'array' THEN
            RETURN (SELECT '[' || coalesce(string_agg(
                    canonical_json(i.value), ',' ORDER BY i.place), '') || ']'
                FROM jsonb_array_elements(value) WITH ORDINALITY AS i(value, place));
        WHEN 'number' THEN
            RETURN canonical_number(value::numeric);
        ELSE
            RETURN value::text;
    END CASE;
END $$;

CREATE FUNCTION drawn_half(drawn bytea, place integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT ((get_byte(drawn, place) << 16) | (get_byte(drawn, place + 1) << 8)
        | get_byte(drawn, place + 2))
$$;

CREATE FUNCTION public_id(drawn bytea, element bigint) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    l integer := element >> 24;
    r integer := element & 16777215;
    shown bigint := element;
BEGIN
    IF length(drawn) > 24 THEN  -- three rounds over three tables of 768 bytes each
        l := l # drawn_half(drawn, 24 + (r & 255) * 3)
            # drawn_half(drawn, 792 + (r >> 8 & 255) * 3)
            # drawn_half(drawn, 1560 + (r >> 16) * 3);
        r := r # drawn_half(drawn, 2328 + (l & 255) * 3)
            # drawn_half(drawn, 3096 + (l >> 8 & 255) * 3)
            # drawn_half(drawn, 3864 + (l >> 16) * 3);
        l := l # drawn_half(drawn, 4632 + (r & 255) * 3)
            # drawn_half(drawn, 5400 + (r >> 8 & 255) * 3)
            # drawn_half(drawn, 6168 + (r >> 16) * 3);
        shown := (l::bigint << 24) | r;
    END IF;
    RETURN convert_from(substr(drawn, 1, 24), 'UTF8') || lpad(to_hex(shown), 12, '0');
END $$;
"""
"""`public_id` takes what `identity.drawn_id` returns of a group."""

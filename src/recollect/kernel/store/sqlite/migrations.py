"""The named steps that build the tables; the list only ever grows at its end.

The tables of the graph on SQLite.

One row per element, living or closed: identity is immutable, content is current, superseded
contents are in `past`. The system clock is the group's transaction number.
Missing bounds are sentinels, never NULL. Every key begins with the group.
"""

from __future__ import annotations

import time

from recollect.errors import STORE_NEWER, UPGRADE
from recollect.kernel.store.port import Session
from recollect.model import BEGINNING, FOREVER
from recollect.node import dataclass

APPLICATION_ID = 0x52434C54
"""SQLite's `application_id` of a Recollect file: the letters RCLT."""

_ELEMENT_COLUMNS = """
    attributes  TEXT    NOT NULL,   -- JSON object
    metadata    TEXT    NOT NULL,   -- JSON object
    valid_at    INTEGER NOT NULL,   -- fact time, milliseconds: true from here on ...
    invalid_at  INTEGER NOT NULL,   -- ... until just before here
    version     INTEGER NOT NULL,   -- content changes, from 1
    born_at     INTEGER NOT NULL,   -- transaction that created the element
    changed_at  INTEGER NOT NULL,   -- transaction that wrote the current content
    expired_at  INTEGER NOT NULL,   -- transaction that closed the element, or LIVING
    salt        BLOB    NOT NULL    -- 16 random bytes that keep the digests in `change` mute
"""

_PAST_COLUMNS = """
    group_id    INTEGER NOT NULL,
    id          INTEGER NOT NULL,
    until       INTEGER NOT NULL,   -- transaction that superseded this content
    attributes  TEXT    NOT NULL,
    metadata    TEXT    NOT NULL,
    valid_at    INTEGER NOT NULL,
    invalid_at  INTEGER NOT NULL,
    version     INTEGER NOT NULL,
    changed_at  INTEGER NOT NULL,   -- transaction that had written it
    PRIMARY KEY (group_id, id, until)
"""

INITIAL = f"""
CREATE TABLE counter (                 -- one row: the id space of the database
    last_n      INTEGER NOT NULL       -- the n of the last id = 2n + kind
);
INSERT INTO counter VALUES (0);

CREATE TABLE grp (
    group_id    INTEGER PRIMARY KEY,
    name        TEXT    NOT NULL UNIQUE,
    id_bits     BLOB    NOT NULL,      -- 74 random bits in 10 bytes: the constant part of ids
    number      INTEGER NOT NULL,      -- the last transaction; 0 before the first
    at          INTEGER NOT NULL,      -- its instant; strictly rises
    chain       BLOB    NOT NULL       -- its chain hash; 32 zero bytes before the first
);

CREATE TABLE tx (
    group_id    INTEGER NOT NULL,
    number      INTEGER NOT NULL,
    at          INTEGER NOT NULL,      -- milliseconds
    last_id     INTEGER NOT NULL,      -- the highest id given out when it committed
    actor       TEXT,
    request     TEXT,
    chain       BLOB    NOT NULL,      -- SHA-256 over the chain before, this row, its changes
    PRIMARY KEY (group_id, number)
) WITHOUT ROWID;
CREATE UNIQUE INDEX tx_at ON tx (group_id, at);

CREATE TABLE change (
    group_id    INTEGER NOT NULL,
    tx          INTEGER NOT NULL,
    element     INTEGER NOT NULL,
    operation   TEXT    NOT NULL,      -- create | update | close | purge
    digest      BLOB    NOT NULL,      -- SHA-256 over salt and new content
    PRIMARY KEY (group_id, tx, element)
) WITHOUT ROWID;

CREATE TABLE term (                    -- concept types and predicates, interned
    group_id    INTEGER NOT NULL,
    code        INTEGER NOT NULL,
    text        TEXT    NOT NULL,
    PRIMARY KEY (group_id, code),
    UNIQUE (group_id, text)
) WITHOUT ROWID;

CREATE TABLE concept (
    id          INTEGER PRIMARY KEY,
    group_id    INTEGER NOT NULL,
    type        INTEGER NOT NULL,      -- term code
    name        TEXT    NOT NULL,
    public_id   TEXT,                  -- only when the caller gave one
    {_ELEMENT_COLUMNS}
);
CREATE UNIQUE INDEX concept_name ON concept (group_id, name, expired_at, type);
CREATE INDEX concept_type ON concept (group_id, type, expired_at);
CREATE UNIQUE INDEX concept_public ON concept (group_id, public_id, expired_at)
    WHERE public_id IS NOT NULL;

CREATE TABLE link (
    id          INTEGER PRIMARY KEY,
    group_id    INTEGER NOT NULL,
    subject     INTEGER NOT NULL,      -- id of a concept or of a link
    predicate   INTEGER NOT NULL,      -- term code
    object      INTEGER NOT NULL,      -- id of a concept or of a link
    key         TEXT    NOT NULL,      -- empty for KIP
    public_id   TEXT,
    {_ELEMENT_COLUMNS}
);
CREATE UNIQUE INDEX link_out ON link (group_id, subject, predicate, expired_at, object, key);
CREATE INDEX link_in ON link (group_id, object, predicate, expired_at, subject);
CREATE INDEX link_predicate ON link (group_id, predicate, expired_at, subject, object);
CREATE UNIQUE INDEX link_public ON link (group_id, public_id, expired_at)
    WHERE public_id IS NOT NULL;

CREATE TABLE concept_past ({_PAST_COLUMNS}) WITHOUT ROWID;
CREATE TABLE link_past ({_PAST_COLUMNS}) WITHOUT ROWID;

CREATE TABLE tally (                   -- counts of the living, one delta per transaction
    group_id    INTEGER NOT NULL,
    kind        TEXT    NOT NULL,      -- see the TALLY_ names below
    term        INTEGER NOT NULL,      -- term code, or 0
    count       INTEGER NOT NULL,
    PRIMARY KEY (group_id, kind, term)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE text_index USING fts5 (
    body, content = '', contentless_delete = 1, tokenize = 'porter ascii'
);
CREATE TABLE text_past (               -- documents of superseded contents, at -doc in the index
    doc         INTEGER PRIMARY KEY,
    group_id    INTEGER NOT NULL,
    element     INTEGER NOT NULL,
    until       INTEGER NOT NULL
);
CREATE UNIQUE INDEX text_past_element ON text_past (group_id, element, until);
"""  # noqa: S608 - only the column lists above are inserted

ERASURE = """
CREATE TABLE erasure (                 -- one row: the purges of the database
    begun       INTEGER NOT NULL,      -- purges so far; what was cached before the last is stale
    finished    INTEGER NOT NULL,      -- of them, those whose bytes have left the file
    last_group  INTEGER NOT NULL       -- the highest group_id ever dropped: none comes again
);
INSERT INTO erasure VALUES (0, 0, 0);
"""

ATTRIBUTE_INDEX = """
CREATE TABLE attribute_index (         -- declared: the index itself is named after the attribute
    group_id    INTEGER NOT NULL,
    type        TEXT    NOT NULL,      -- of concepts, which there may be none of yet
    attribute   TEXT    NOT NULL,
    PRIMARY KEY (group_id, type, attribute)
) WITHOUT ROWID;
"""

SCHEMA_MODE = """
CREATE TABLE schema_mode (             -- groups that declare what they use; all others are open
    group_id    INTEGER PRIMARY KEY,
    mode        TEXT    NOT NULL       -- strict
);
"""

NAME_KEY = """
ALTER TABLE concept ADD COLUMN name_key TEXT;  -- of types whose names are unique, case aside
CREATE UNIQUE INDEX concept_name_key ON concept (group_id, type, name_key, expired_at)
    WHERE name_key IS NOT NULL;
UPDATE OR IGNORE concept SET name_key = normal_text(name)
    WHERE expired_at = 4611686018427387904 AND type IN (
        SELECT t.code FROM term AS t WHERE t.group_id = concept.group_id AND t.text = 'Entity');
"""

WORK = """
CREATE TABLE work (                    -- what is to be done about elements, step by step
    group_id    INTEGER NOT NULL,
    number      INTEGER NOT NULL,      -- the order of acceptance in the group, from 1
    item        TEXT    NOT NULL,      -- public id of the element it is about
    state       TEXT    NOT NULL,      -- in the words of whoever works on it
    attempts    INTEGER NOT NULL,      -- failed executions of the step it is at
    due_at      INTEGER NOT NULL,      -- milliseconds: at once from BEGINNING, never at FOREVER
    payload     TEXT    NOT NULL,      -- JSON object, kept between steps
    owner       TEXT    NOT NULL DEFAULT '',  -- who works on it, or nobody ...
    lease_until INTEGER NOT NULL DEFAULT 0,   -- ... from this instant on
    PRIMARY KEY (group_id, number)
) WITHOUT ROWID;
CREATE UNIQUE INDEX work_item ON work (group_id, item);
CREATE INDEX work_due ON work (group_id, due_at) WHERE due_at < 4611686018427387904;
CREATE INDEX work_waiting ON work (group_id, number) WHERE due_at < 4611686018427387904;
CREATE INDEX work_state ON work (group_id, state, number);
CREATE INDEX work_leased ON work (group_id, lease_until) WHERE owner != '';

CREATE TABLE receipt (                 -- the items that were accepted together
    group_id    INTEGER NOT NULL,
    receipt     TEXT    NOT NULL,
    position    INTEGER NOT NULL,      -- in the order they were given
    item        TEXT    NOT NULL,
    PRIMARY KEY (group_id, receipt, position)
) WITHOUT ROWID;
CREATE INDEX receipt_item ON receipt (group_id, item);

CREATE TABLE kept_answer (             -- what a call under an idempotency key was answered
    group_id    INTEGER NOT NULL,
    operation   TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    payload     BLOB    NOT NULL,      -- digest of what the call was given
    answer      TEXT    NOT NULL,      -- JSON
    until       INTEGER NOT NULL,      -- milliseconds
    PRIMARY KEY (group_id, operation, key)
) WITHOUT ROWID;
CREATE INDEX kept_answer_until ON kept_answer (group_id, until);
"""

VECTORS = """
CREATE TABLE embedding_model (         -- whose vectors a group has
    group_id    INTEGER PRIMARY KEY,
    name        TEXT    NOT NULL,
    dimension   INTEGER NOT NULL
);
CREATE TABLE vector (                  -- what texts mean, each once
    id          INTEGER PRIMARY KEY,
    group_id    INTEGER NOT NULL,
    hash        TEXT    NOT NULL,      -- of the text
    vector      BLOB    NOT NULL       -- numbers of four bytes, little-endian, of length 1
);
CREATE UNIQUE INDEX vector_text ON vector (group_id, hash);
CREATE TABLE embedded (                -- what elements say, as vectors
    group_id    INTEGER NOT NULL,
    number      INTEGER NOT NULL,      -- rises whenever the vector becomes another one
    element     INTEGER NOT NULL,
    vector      INTEGER NOT NULL,      -- 0: it says something else now
    PRIMARY KEY (group_id, number)
) WITHOUT ROWID;
CREATE UNIQUE INDEX embedded_element ON embedded (group_id, element);
CREATE INDEX embedded_vector ON embedded (group_id, vector);
"""

KEYED_ANSWERS = """
DELETE FROM kept_answer;               -- their digests had no key
ALTER TABLE kept_answer ADD COLUMN about TEXT NOT NULL DEFAULT '[]';  -- elements: JSON of ids
"""
"""The salts of the elements are the key of the digest, which goes with any of them."""

STATE_MARK = """
ALTER TABLE counter ADD COLUMN mark BLOB;         -- 16 random bytes, others after every commit
ALTER TABLE counter ADD COLUMN mark_before BLOB;  -- those of the commit before
UPDATE counter SET mark = randomblob(16), mark_before = randomblob(16);
"""
"""What a log tells of the file that it continues; see `stale_log.py`."""

VECTOR_DIGESTS = """
ALTER TABLE vector ADD COLUMN digest INTEGER;    -- of the row and its model: see row_digest.py
ALTER TABLE embedded ADD COLUMN digest INTEGER;  -- of the row
UPDATE vector SET digest = (
  SELECT row_digest(vector.group_id, vector.id, vector.hash, vector.vector, m.name, m.dimension)
  FROM embedding_model AS m WHERE m.group_id = vector.group_id);
UPDATE embedded SET digest = row_digest(group_id, number, element, vector);
"""

COUNTS_OF_ALL_LINKS = """
DELETE FROM tally WHERE kind IN ('multiple', 'linked');
INSERT INTO tally
    SELECT group_id, 'keyed', predicate, count(*) FROM link
    WHERE key != '' GROUP BY group_id, predicate;
INSERT INTO tally
    SELECT group_id, 'link_subjects', predicate, count(*) FROM link
    WHERE subject & 1 GROUP BY group_id, predicate;
INSERT INTO tally
    SELECT group_id, 'link_objects', predicate, count(*) FROM link
    WHERE object & 1 GROUP BY group_id, predicate;
"""
"""What the planner must know of every moment is counted of all links, closed ones too."""

COUNTS_OF_BOUNDED = f"""
INSERT INTO tally
    SELECT group_id, 'bounded_concept', type, count(*) FROM concept
    WHERE valid_at != {BEGINNING} OR invalid_at != {FOREVER} GROUP BY group_id, type;
INSERT INTO tally
    SELECT group_id, 'bounded_link', predicate, count(*) FROM link
    WHERE valid_at != {BEGINNING} OR invalid_at != {FOREVER} GROUP BY group_id, predicate;
"""  # noqa: S608 - only two numbers are inserted
"""Of which types and predicates an answer may rest on what is not true now; closed ones too."""

LINK_LINE = """
CREATE INDEX link_line ON link (group_id, object, key, expired_at,
    (coalesce(attributes ->> '$.order', 9e999)))
    WHERE key <> '';
"""
"""The links of one key that end at an element stand in a line, by their attribute `order`."""

ONE_PAST = """
ALTER TABLE concept_past RENAME TO past;
INSERT INTO past SELECT * FROM link_past;
DROP TABLE link_past;
"""
"""An id is of a concept or of a link, so what both said before stands in one table."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step; its name is recorded in the file once it has run."""

    name: str
    sql: str


MIGRATIONS: tuple[Migration, ...] = (
    Migration("m001_initial", INITIAL),
    Migration("m002_erasure", ERASURE),
    Migration("m003_attribute_index", ATTRIBUTE_INDEX),
    Migration("m004_counts_of_all_links", COUNTS_OF_ALL_LINKS),
    Migration("m005_schema_mode", SCHEMA_MODE),
    Migration("m006_name_key", NAME_KEY),
    Migration("m007_work", WORK),
    Migration("m008_vectors", VECTORS),
    Migration("m009_state_mark", STATE_MARK),
    Migration("m010_vector_digests", VECTOR_DIGESTS),
    Migration("m011_keyed_answers", KEYED_ANSWERS),
    Migration("m012_counts_of_bounded", COUNTS_OF_BOUNDED),
    Migration("m013_link_line", LINK_LINE),
    Migration("m014_one_past", ONE_PAST),
)

VERSION = len(MIGRATIONS)
"""SQLite's `user_version` of a file all of whose migrations have run."""

_TABLE = "CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)"


def refuse_newer(applied: frozenset[str], version: int) -> None:
    """Raise STORE_NEWER when a file holds migrations this program does not know."""
    unknown = applied - {one.name for one in MIGRATIONS}
    if unknown or version > VERSION:
        raise STORE_NEWER.error(
            "the file was written by a newer version of Recollect",
            UPGRADE,
            details={"unknown_migrations": sorted(unknown), "file_version": version},
        )


def applied_migrations(session: Session) -> frozenset[str]:
    """Return the names of the migrations a file has been through."""
    table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'"
    if session.row(table) is None:
        return frozenset()
    return frozenset(str(name) for (name,) in session.rows("SELECT name FROM migration"))


def migrate(session: Session) -> None:
    """Run the missing migrations, inside the write transaction of `session`."""
    session.rows(_TABLE)
    applied = applied_migrations(session)
    for migration in MIGRATIONS:
        if migration.name not in applied:
            session.rows(migration.sql)
            entry = (migration.name, int(time.time() * 1000))
            session.execute_many("INSERT INTO migration (name, applied_at) VALUES (?, ?)", [entry])
    session.rows(f"PRAGMA application_id = {APPLICATION_ID}")
    session.rows(f"PRAGMA user_version = {VERSION}")

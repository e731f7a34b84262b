"""The tables of the graph on a server: those of a file, column for column.

The rule: every key begins with the group, every text is in the order of code points, every whole
number has eight bytes. Ids are of a group, not of the store, so their counter stands in `grp`.
Beside the JSON that was said stands its value, which is what is compared; it comes last, so that a
row is written alike everywhere. An index has no room for a long name: it holds the first 500
characters, by which names are found and ordered, and behind them a digest of a longer one.
"""

from __future__ import annotations

from typing import Final

from recollect.kernel.store.postgres.functions import CALLED, FUNCTIONS
from recollect.kernel.store.postgres.text_index import TABLES
from recollect.model import LIVING

_TEXT: Final = 'text COLLATE "C"'
_VALUES: Final = """
    attributes_value jsonb GENERATED ALWAYS AS (value_of(attributes)) STORED,
    metadata_value   jsonb GENERATED ALWAYS AS (value_of(metadata)) STORED"""
_OFTEN: Final = "WITH (autovacuum_analyze_scale_factor = 0.02)"
"""The planner chooses the index of each loop by what it knows of the rows."""

_ELEMENT_COLUMNS: Final = f"""
    attributes  {_TEXT} NOT NULL,      -- JSON object, as it was said
    metadata    {_TEXT} NOT NULL,      -- JSON object, as it was said
    valid_at    bigint NOT NULL,       -- fact time, milliseconds: true from here on ...
    invalid_at  bigint NOT NULL,       -- ... until just before here
    version     bigint NOT NULL,       -- content changes, from 1
    born_at     bigint NOT NULL,       -- transaction that created the element
    changed_at  bigint NOT NULL,       -- transaction that wrote the current content
    expired_at  bigint NOT NULL,       -- transaction that closed the element, or LIVING
    salt        bytea NOT NULL"""

_PAST_COLUMNS: Final = f"""
    group_id    bigint NOT NULL,
    id          bigint NOT NULL,
    until       bigint NOT NULL,       -- transaction that superseded this content
    attributes  {_TEXT} NOT NULL,
    metadata    {_TEXT} NOT NULL,
    valid_at    bigint NOT NULL,
    invalid_at  bigint NOT NULL,
    version     bigint NOT NULL,
    changed_at  bigint NOT NULL,       -- transaction that had written it
    {_VALUES.strip()},
    PRIMARY KEY (group_id, id, until)"""

_GRAPH: Final = f"""
CREATE TABLE grp (
    group_id    bigint PRIMARY KEY,
    name        {_TEXT} NOT NULL UNIQUE,
    id_bits     bytea NOT NULL,        -- 74 random bits in 10 bytes: the constant part of ids
    number      bigint NOT NULL,       -- the last transaction; 0 before the first
    at          bigint NOT NULL,       -- its instant; strictly rises
    chain       bytea NOT NULL,        -- its chain hash; 32 zero bytes before the first
    last_n      bigint NOT NULL DEFAULT 0  -- the n of the last id = 2n + kind
);

CREATE TABLE erasure (                 -- one row: the purges of the store
    begun       bigint NOT NULL,       -- purges so far; what was cached before the last is stale
    finished    bigint NOT NULL,       -- of them, those whose rows are vacuumed
    last_group  bigint NOT NULL        -- the highest group_id ever dropped: none comes again
);
INSERT INTO erasure VALUES (0, 0, 0);

CREATE TABLE tx (
    group_id    bigint NOT NULL,
    number      bigint NOT NULL,
    at          bigint NOT NULL,       -- milliseconds
    last_id     bigint NOT NULL,       -- the highest id given out when it committed
    actor       {_TEXT},
    request     {_TEXT},
    chain       bytea NOT NULL,        -- SHA-256 over the chain before, this row, its changes
    PRIMARY KEY (group_id, number)
);
CREATE UNIQUE INDEX tx_at ON tx (group_id, at);

CREATE TABLE change (
    group_id    bigint NOT NULL,
    tx          bigint NOT NULL,
    element     bigint NOT NULL,
    operation   {_TEXT} NOT NULL,      -- create | update | close | purge
    digest      bytea NOT NULL,        -- SHA-256 over salt and new content
    PRIMARY KEY (group_id, tx, element)
) {_OFTEN};

CREATE TABLE term (                    -- concept types and predicates, interned
    group_id    bigint NOT NULL,
    code        bigint NOT NULL,
    text        {_TEXT} NOT NULL,
    PRIMARY KEY (group_id, code),
    UNIQUE (group_id, text)
);

CREATE TABLE concept (
    id          bigint NOT NULL,
    group_id    bigint NOT NULL,
    type        bigint NOT NULL,       -- term code
    name        {_TEXT} NOT NULL,
    public_id   {_TEXT},               -- only when the caller gave one
    {_ELEMENT_COLUMNS.strip()},
    name_key    {_TEXT},               -- of types whose names are unique, case aside
    {_VALUES.strip()},
    PRIMARY KEY (group_id, id)
) {_OFTEN};
CREATE UNIQUE INDEX concept_name ON concept (group_id, left(name, 500), expired_at, type,
    rest_of(name));
CREATE INDEX concept_type ON concept (group_id, type, expired_at, id);
CREATE UNIQUE INDEX concept_public ON concept (group_id, left(public_id, 500), expired_at,
    rest_of(public_id))
    WHERE public_id IS NOT NULL;
CREATE UNIQUE INDEX concept_name_key ON concept (group_id, type, left(name_key, 500), expired_at,
    rest_of(name_key))
    WHERE name_key IS NOT NULL;

CREATE TABLE link (
    id          bigint NOT NULL,
    group_id    bigint NOT NULL,
    subject     bigint NOT NULL,       -- id of a concept or of a link
    predicate   bigint NOT NULL,       -- term code
    object      bigint NOT NULL,       -- id of a concept or of a link
    key         {_TEXT} NOT NULL,      -- empty for KIP
    public_id   {_TEXT},
    {_ELEMENT_COLUMNS.strip()},
    {_VALUES.strip()},
    PRIMARY KEY (group_id, id)
) {_OFTEN};
CREATE UNIQUE INDEX link_out ON link (group_id, subject, predicate, expired_at, object,
    left(key, 500), rest_of(key))
    INCLUDE (id);
CREATE INDEX link_in ON link (group_id, object, predicate, expired_at, subject) INCLUDE (id);
CREATE INDEX link_predicate ON link (group_id, predicate, expired_at, subject, object)
    INCLUDE (id);
CREATE UNIQUE INDEX link_public ON link (group_id, left(public_id, 500), expired_at,
    rest_of(public_id))
    WHERE public_id IS NOT NULL;

-- The planner learns nothing of an expression from an index that is partial.
CREATE STATISTICS concept_texts ON left(public_id, 500), left(name_key, 500) FROM concept;
CREATE STATISTICS link_texts ON left(public_id, 500), left(key, 500) FROM link;

CREATE TABLE concept_past ({_PAST_COLUMNS}) {_OFTEN};
CREATE TABLE link_past ({_PAST_COLUMNS}) {_OFTEN};

CREATE TABLE tally (                   -- counts of the living, one delta per transaction
    group_id    bigint NOT NULL,
    kind        {_TEXT} NOT NULL,
    term        bigint NOT NULL,       -- term code, or 0
    count       bigint NOT NULL,
    PRIMARY KEY (group_id, kind, term)
);

CREATE TABLE attribute_index (         -- declared: the index itself is named after the attribute
    group_id    bigint NOT NULL,
    type        {_TEXT} NOT NULL,      -- of concepts, which there may be none of yet
    attribute   {_TEXT} NOT NULL,
    PRIMARY KEY (group_id, type, attribute)
);

CREATE TABLE schema_mode (             -- groups that declare what they use; all others are open
    group_id    bigint PRIMARY KEY,
    mode        {_TEXT} NOT NULL       -- strict
);
"""  # noqa: S608 - only the columns above are inserted

WORK_BY_GROUP: Final = f"""
ALTER TABLE grp ADD COLUMN due_at bigint NOT NULL DEFAULT {LIVING};  -- when work of it is due next
UPDATE grp SET due_at = coalesce((
  SELECT min(w.due_at) FROM work AS w WHERE w.group_id = grp.group_id), {LIVING});
"""  # noqa: S608 - a number

LONG_TERMS: Final = """
ALTER TABLE term DROP CONSTRAINT term_group_id_text_key;
CREATE UNIQUE INDEX term_text ON term (group_id, left(text, 500), rest_of(text));
ALTER TABLE kept_answer DROP CONSTRAINT kept_answer_pkey;
CREATE UNIQUE INDEX kept_answer_key ON kept_answer (group_id, operation, left(key, 500),
    rest_of(key));
"""

LINK_LINE: Final = """
CREATE INDEX link_line ON link (group_id, object, left(key, 500), expired_at,
    (CASE jsonb_typeof(attributes_value -> 'order')
     WHEN 'number' THEN (attributes_value ->> 'order')::float8 ELSE 'Infinity'::float8 END), id)
    WHERE key <> '';
"""
"""The links of one key that end at an element stand in a line, by their attribute `order`."""

ONE_PAST: Final = """
ALTER TABLE concept_past RENAME TO past;
ALTER INDEX concept_past_pkey RENAME TO past_pkey;
INSERT INTO past (group_id, id, until, attributes, metadata, valid_at, invalid_at, version,
    changed_at)
SELECT p.group_id, p.id, p.until, p.attributes, p.metadata, p.valid_at, p.invalid_at, p.version,
    p.changed_at FROM link_past AS p;
DROP TABLE link_past;
"""
"""An id is of a concept or of a link, so what both said before stands in one table.

What is renamed keeps its place on other machines, and the wall between groups.
"""

_WORK: Final = f"""
CREATE TABLE work (                    -- what is to be done about elements, step by step
    group_id    bigint NOT NULL,
    number      bigint NOT NULL,       -- the order of acceptance in the group, from 1
    item        {_TEXT} NOT NULL,      -- public id of the element it is about
    state       {_TEXT} NOT NULL,      -- in the words of whoever works on it
    attempts    bigint NOT NULL,       -- failed executions of the step it is at
    due_at      bigint NOT NULL,       -- milliseconds: at once from BEGINNING, never at FOREVER
    payload     {_TEXT} NOT NULL,      -- JSON object, kept between steps
    owner       {_TEXT} NOT NULL DEFAULT '',  -- who works on it, or nobody ...
    lease_until bigint NOT NULL DEFAULT 0,    -- ... from this instant on
    PRIMARY KEY (group_id, number)
);
CREATE UNIQUE INDEX work_item ON work (group_id, item);
CREATE INDEX work_due ON work (group_id, due_at) WHERE due_at < {LIVING};
CREATE INDEX work_waiting ON work (group_id, number) WHERE due_at < {LIVING};
CREATE INDEX work_state ON work (group_id, state, number);
CREATE INDEX work_leased ON work (group_id, lease_until) WHERE owner != '';

CREATE TABLE receipt (                 -- the items that were accepted together
    group_id    bigint NOT NULL,
    receipt     {_TEXT} NOT NULL,
    position    bigint NOT NULL,       -- in the order they were given
    item        {_TEXT} NOT NULL,
    PRIMARY KEY (group_id, receipt, position)
);
CREATE INDEX receipt_item ON receipt (group_id, item);

CREATE TABLE kept_answer (             -- what a call under an idempotency key was answered
    group_id    bigint NOT NULL,
    operation   {_TEXT} NOT NULL,
    key         {_TEXT} NOT NULL,
    payload     bytea NOT NULL,        -- digest of what the call was given
    answer      {_TEXT} NOT NULL,      -- JSON
    until       bigint NOT NULL,       -- milliseconds
    about       {_TEXT} NOT NULL DEFAULT '[]',  -- elements: JSON of ids
    PRIMARY KEY (group_id, operation, key)
);
CREATE INDEX kept_answer_until ON kept_answer (group_id, until);
"""

_VECTORS: Final = f"""
CREATE TABLE embedding_model (         -- whose vectors a group has
    group_id    bigint PRIMARY KEY,
    name        {_TEXT} NOT NULL,
    dimension   bigint NOT NULL
);
CREATE TABLE vector (                  -- what texts mean, each once
    id          bigint NOT NULL,
    group_id    bigint NOT NULL,
    hash        {_TEXT} NOT NULL,      -- of the text
    vector      bytea NOT NULL,        -- numbers of four bytes, little-endian, of length 1
    digest      bigint,                -- of the row and its model
    PRIMARY KEY (group_id, id)
);
CREATE UNIQUE INDEX vector_text ON vector (group_id, hash);
CREATE TABLE embedded (                -- what elements say, as vectors
    group_id    bigint NOT NULL,
    number      bigint NOT NULL,       -- rises whenever the vector becomes another one
    element     bigint NOT NULL,
    vector      bigint NOT NULL,       -- 0: it says something else now
    digest      bigint,                -- of the row
    PRIMARY KEY (group_id, number)
);
CREATE UNIQUE INDEX embedded_element ON embedded (group_id, element);
CREATE INDEX embedded_vector ON embedded (group_id, vector);
"""

INITIAL: Final = CALLED + FUNCTIONS + _GRAPH + _WORK + _VECTORS + TABLES

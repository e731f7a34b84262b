"""The named parts of a memory that are not a matter of one layer: its elements, what it declares.

The rule: they read and change nothing; every call is a snapshot of the store, or a part of one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from recollect.kernel.read.catalogs import OpenGroup
from recollect.kernel.read.joints import dated_elements, keys_of
from recollect.kernel.read.meant import elements_meant
from recollect.kernel.read.texts import one_moment, quoting
from recollect.kernel.read.walk import distances_between
from recollect.kernel.search.facts import facts_about
from recollect.kernel.search.meant import concepts_meant
from recollect.kernel.search.search import DEFAULT_LIMIT
from recollect.kernel.store.group import last_transaction
from recollect.kernel.write.attribute_indexes import attribute_indexes
from recollect.kernel.write.beside import functional_predicates
from recollect.kernel.write.capsule import Records
from recollect.kernel.write.conformance import schema_of
from recollect.model import (
    AsOf,
    AttributeIndex,
    Dated,
    Found,
    Key,
    NamedConcept,
    Ranked,
    Record,
    Schema,
)
from recollect.node import dataclass, replace


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements of a group: by id, by plain name, by distance, and one after another."""

    _group: OpenGroup

    def look_up(
        self, ids: Collection[str], *, as_of: AsOf | None = None, closed: bool = False
    ) -> dict[str, Dated]:
        """Return elements by id, with both clocks; an id of nothing is left out.

        With `closed` those that are closed are there too, as they were last. Cost: three
        statements, whatever the number of ids.
        """
        with self._group.reader(as_of) as reader:
            return dated_elements(reader, ids, closed=closed)

    def keys(
        self, ids: Collection[str], *, as_of: AsOf | None = None, closed: bool = False
    ) -> dict[str, Key]:
        """Return the types and names of concepts by id, as `look_up` does elements.

        They are of any fact time. Cost: two statements, whatever the number of ids.
        """
        with self._group.reader(as_of) as reader:
            return keys_of(reader, ids, closed=closed)

    def named(
        self, name: str, *, type: str | None = None, as_of: AsOf | None = None
    ) -> tuple[NamedConcept, ...]:
        """Return the concepts that a plain name means: as written, else spelt so, else by alias.

        Where it means none, those come whose first name it is, and `by` says so. No type that a
        face owns is meant, and no kind whose names are ids.
        """
        with self._group.reader(as_of) as reader:
            return concepts_meant(reader, name, type)

    def rank_facts(
        self, term: str, limit: int = DEFAULT_LIMIT, *, through: str, as_of: AsOf | None = None
    ) -> tuple[Ranked, ...]:
        """Return the ids of the facts a plain text is about, best first, ties by id.

        A fact is found by its words and predicate, and by its ends where they are concepts of
        the type `through`; `Entity` stands for any free kind. Cost: as SEARCH of
        links, without showing them.
        """
        with self._group.reader(as_of) as reader:
            return facts_about(reader, term, limit, through)

    def distances(
        self, start: str, targets: Collection[str], most: int, *, as_of: AsOf | None = None
    ) -> dict[str, int]:
        """Return how many links each target is away from `start`, where at most `most` are.

        Links are walked in either direction. KIP_3002 when nothing is called `start`. Cost:
        every link met on the way.
        """
        with self._group.reader(as_of) as reader:
            return distances_between(reader, start, targets, most)

    def last_transactions(self, groups: Collection[str]) -> dict[str, int]:
        """Return the number of the last transaction of some groups; 0 where nothing was written.

        Cost: a statement for each.
        """
        with self._group.store.reading() as session:
            catalogs = ((one, self._group.catalogs.of(session, one)) for one in groups)
            return {one: last_transaction(session, of.group.group_id) for one, of in catalogs}

    def records(self, found: Found | None = None, *, as_of: AsOf | None = None) -> Iterator[Record]:
        """Yield the living elements of the group, or of what a FIND finds, with what they need.

        Concepts come before links, and every link after its ends, which come with it even when
        they are not asked for. All is read as of one moment, `as_of` or that of `found`, in
        many short snapshots: STORE_BUSY when something of the group is purged between them.
        INVALID_ARGUMENT when the two name different moments.
        """
        group = self._group
        with group.store.reading() as session:
            catalog = group.catalog(session)
            records = Records.begin(group.store, session, catalog, one_moment(found, as_of))
            if found is None:
                return records.all()
            wanted = replace(found, as_of=records.as_of)
            with quoting(found.text):
                return records.of(elements_meant(session, catalog, group.limits, wanted))


@dataclass(frozen=True, slots=True)
class Declared:
    """What a group declares."""

    _group: OpenGroup

    def schema(self) -> Schema:
        """Return the definitions of a group, its mode, and what in it does not conform.

        Cost: every concept of a type whose definition demands attributes.
        """
        with self._group.store.reading() as session:
            return schema_of(session, self._group.catalog(session).group)

    def functional(self) -> frozenset[str]:
        """Return the predicates of which a subject has one object at a time, as `normal_text`."""
        with self._group.store.reading() as session:
            return functional_predicates(session, self._group.catalog(session).group.group_id)

    def indexes(self) -> tuple[AttributeIndex, ...]:
        """Return the declared indexes, in order."""
        with self._group.store.reading() as session:
            return attribute_indexes(session, self._group.catalog(session).group.group_id)

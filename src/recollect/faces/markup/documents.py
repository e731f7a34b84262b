"""Documents against the graph of one group: changed, loaded, rendered, kept.

The rule: each call is one transaction, all of it or nothing, and what it looks at is what it
writes on. The call chooses the meaning of a text: `apply` is a change, `load` a snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal

from recollect.errors import (
    DUPLICATE_EXISTS,
    IMMUTABLE_TARGET,
    INCOMPLETE,
    TWO_DEFINITIONS,
    Notice,
    RecollectError,
    refused,
)
from recollect.faces.markup.answers import Applied, Placement, Rendered, SpaceEntry
from recollect.faces.markup.applying import Applying
from recollect.faces.markup.changes import changes_of, reply_of, reports_of
from recollect.faces.markup.checking import document_faults
from recollect.faces.markup.decision import Asked
from recollect.faces.markup.faults import Faults, pass_option, unknown
from recollect.faces.markup.graph import KIND, READ_ONLY, Graph, is_foreign, label_of, text_of
from recollect.faces.markup.minting import Minting
from recollect.faces.markup.model import Document
from recollect.faces.markup.parser import parse
from recollect.faces.markup.placing import Placing
from recollect.faces.markup.printer import document_text
from recollect.faces.markup.rendering import Counter, Rendering, byte_cost
from recollect.faces.markup.repairing import repair as repair_text
from recollect.faces.markup.restoring import Restoring
from recollect.kernel import Nexus, uncollected
from recollect.model import AsOf, Change, Delete, Found, PutConcept, Receipt, RemoveKeys
from recollect.node import dataclass, replace

_SHOWN_BY: Final = """
FIND(?one) WHERE {
  ?one {id: $id}
  UNION { ?one {type: "Exchange"} (?one, "showed", {id: $id}) }
  UNION { ?one {type: "Call"} (?one, "showed", {id: $id}) }
}"""

Also = Callable[[Applied], Sequence[Change]]
"""What else is written in the transaction of a change, once it is known what that comes to."""


@dataclass(frozen=True, slots=True)
class _Parsed:
    """A document, and the text that its places are in."""

    document: Document
    source: str
    notices: tuple[Notice, ...] = ()


class Documents:
    """The spaces and nodes of a group, written and read as Knowing Markup.

    `actor` stands in the log of what is written.
    """

    def __init__(self, nexus: Nexus, *, actor: str | None = None) -> None:
        self.nexus = nexus
        self.actor = actor

    def apply(
        self,
        text: str,
        *,
        target: str | None = None,
        base: int | None = None,
        extra_fields: bool = False,
        repair: bool = False,
        dry_run: bool = False,
        complete: bool = True,
        request_id: str | None = None,
    ) -> Applied:
        """Do what a text changes: what is not marked is context.

        `target` is the node or space that new nodes go to which name no other. With `base`, what
        changed after that transaction is not changed again (KM_3005). `extra_fields` takes fields
        of other names; `repair` mends what models get wrong, where the text is not strict; one
        that is not `complete` is refused.
        All faults are found first: the first is raised, all are in its `details["errors"]`.
        """
        if not complete:
            raise INCOMPLETE.error("the text is not complete", "ask for the answer again")
        if target is not None:
            with self.nexus.snapshot():
                Graph(self.nexus).held(target)
        asked = Asked(
            is_snapshot=False,
            target=target,
            base=base,
            extra_fields=extra_fields,
            dry_run=dry_run,
            request_id=request_id,
        )
        return self._write_text(text, asked, is_mended=repair)

    def load(
        self,
        text: str,
        *,
        ids: Literal["keep", "fresh"] = "keep",
        extra_fields: bool = False,
        dry_run: bool = False,
        request_id: str | None = None,
    ) -> Applied:
        """Make everything that a text holds exist: loading it twice writes nothing.

        Ids are kept, and one that is taken by another kind or Label is KM_3004; `ids="fresh"` gives
        every id a new one.
        """
        if ids not in ("keep", "fresh"):
            raise refused(f"ids is {ids!r:.40}", 'pass ids="keep" or ids="fresh"')
        asked = Asked(
            is_snapshot=True,
            is_fresh=ids == "fresh",
            extra_fields=extra_fields,
            dry_run=dry_run,
            request_id=request_id,
        )
        return self._write_text(text, asked)

    def _write_text(self, text: str, asked: Asked, *, is_mended: bool = False) -> Applied:
        """Write what a text says."""
        if not isinstance(text, str):
            raise refused(
                f"the text is of type {type(text).__name__}",
                "pass a document of Knowing Markup as a str",
            )
        with uncollected(len(text)):
            parsed = _parsed(text, is_mended=is_mended)
            return self.write(parsed.document, asked, source=parsed.source, notices=parsed.notices)

    def write(
        self,
        document: Document,
        asked: Asked,
        *,
        source: str = "",
        notices: Sequence[Notice] = (),
        also: Also | None = None,
    ) -> Applied:
        """Write what a document comes to: the way in for the parts of this face.

        `also` is called inside the transaction with what the document comes to (its `transaction`
        is None then), and what it returns is written with it.
        """
        with uncollected(len(source)), self.nexus.transaction(dry_run=asked.dry_run):
            self._graph(AsOf(transaction=asked.base))  # a base to come is none
            graph = Graph(self.nexus)
            applying = Applying(graph, asked, Faults(source), [*notices])
            decided = applying.decide(document)
            applied = Applied(
                reply=reply_of(document, decided),
                ids={one.removeprefix("\0"): id for one, id in decided.resolved.ids.items()},
                changes=tuple(reports_of(decided, graph)),
                notices=(*notices, *_placed(applying.notices[len(notices) :], notices)),
                transaction=None,
                is_dry_run=asked.dry_run,
            )
            changes = [*applying.minting.changes(), *changes_of(decided, graph)]
            changes += also(applied) if also is not None else ()
            number = self._write(changes, asked.request_id)
        return replace(applied, transaction=None if asked.dry_run else number)

    def _write(self, changes: Sequence[Change], request_id: str | None) -> int | None:
        if not changes:
            return None
        try:
            done = self.nexus.write(changes, actor=self.actor, request_id=request_id)
        except RecollectError as error:
            if error.code is not DUPLICATE_EXISTS:
                raise
            # KIP made a concept of that type and name, and gave it another id.
            hint = f"write ID: {error.known[0]}" if error.known else "give another id"
            raise TWO_DEFINITIONS.error(error.message, hint) from error
        return done.transaction

    # Reading

    def render(
        self,
        root: str | None = None,
        *,
        attention: str | None = None,
        budget: int | None = None,
        depth: int | None = None,
        as_of: AsOf | None = None,
        show_deleted: bool = False,
        counter: Counter | None = None,
    ) -> Rendered:
        """Return all spaces, a space, or the branch below a node as text.

        Within `budget` the surroundings of the `attention` node come first; it is counted by
        `counter`, else as a third of the bytes. `depth` is how many levels below the root are
        shown. KM_4002 tells the least budget.
        """
        for name, given in (("budget", budget), ("depth", depth)):
            if given is not None and (type(given) is not int or given < 0):
                raise refused(
                    f"{name} is {given!r:.40}", pass_option(name, 1000 if name == "budget" else 1)
                )
        with self.nexus.snapshot():
            graph = self._graph(as_of)
            view = Rendering(
                graph, root, attention, budget, depth, show_deleted, counter or byte_cost
            )
            return view.render(self._as_of(as_of))

    def _as_of(self, as_of: AsOf | None) -> int | None:
        if as_of is not None and as_of.known is not None:
            return None
        if as_of is None or as_of.transaction is None:
            return self.nexus.stats().transactions
        return as_of.transaction

    def _graph(self, as_of: AsOf | None) -> Graph:
        """Return a moment of the graph; INVALID_ARGUMENT for a transaction to come."""
        if as_of is not None and not isinstance(as_of, AsOf):
            told, given = (
                f"as_of is of type {type(as_of).__name__}",
                f"AsOf(transaction={as_of!r:.9})",
            )
            raise refused(told, f"pass as_of={given}")
        then = None if as_of is None else as_of.transaction
        if isinstance(then, int) and then > (last := self.nexus.stats().transactions):
            told = f"transaction {then} is still to come: the last one is {last}"
            raise refused(told, pass_option("transaction", last))
        return Graph(self.nexus, as_of)

    def spaces(self, as_of: AsOf | None = None) -> tuple[SpaceEntry, ...]:
        """Return the spaces, the oldest first."""
        with self.nexus.snapshot():
            found = self._graph(as_of).spaces.values()
        return tuple(
            SpaceEntry(one.id, text_of(one.attributes.get(KIND)), label_of(one) or "")
            for one in found
        )

    def places(self, id: str, as_of: AsOf | None = None) -> tuple[Placement, ...]:
        """Return where a node stands, the oldest place first; KM_3001 for an unknown id."""
        with self.nexus.snapshot():
            graph = self._graph(as_of)
            graph.held(id)
            found = graph.places(id)
        return tuple(Placement(one.space, one.parent, one.predicate) for one in found)

    # Keeping

    def set_read_only(self, id: str, value: bool = True) -> int | None:
        """Protect a node or a space from markup, or no longer; return the transaction."""
        with self.nexus.transaction():
            held = Graph(self.nexus).held(id)
            if is_foreign(held) and held.type in self.nexus.kinds.owned:
                raise IMMUTABLE_TARGET.error(
                    f'"{id}" is a {held.type}, which its own call keeps', "leave it as it is"
                )
            if value:
                changes: list[Change] = [
                    PutConcept(held.type, held.name, {READ_ONLY: True}, id=held.id)
                ]
            else:
                changes = [RemoveKeys(held.id, attributes=frozenset({READ_ONLY}))]
            return self._write(changes, None)

    def restore(self, id: str, *, transaction: int) -> Applied:
        """Bring a node back as it was after a transaction, with what is gone below it.

        KM_3001 where it was not there then. What stands below it now stays.
        """
        with self.nexus.transaction():
            then = self._graph(AsOf(transaction=transaction))
            restoring = Restoring(Graph(self.nexus), then, id)
            changes = [*restoring.changes()]
            number = self._write(changes, None)
        told = tuple(restoring.reports())
        return Applied(Document(), {}, told, (), number, is_dry_run=False)

    def purge(self, id: str) -> Receipt:
        """Erase a node or a space for all times, with every exchange and call that showed it.

        KM_3001 for an unknown id. What stood below it loses that place, and closes with its last
        one, as below a node that is deleted.
        """
        with self.nexus.transaction():
            graph = Graph(self.nexus)
            graph.fetch([id])
            if not graph.was_used(id):
                raise unknown(id)
            minting = Minting(graph)
            minting.count_on_behind([id])  # so that the id is never given again
            self._write([*minting.changes(), *_closings(graph, id)], None)
        return self.nexus.purge(Found(_SHOWN_BY, {"id": id}), actor=self.actor)


def _parsed(text: str, *, is_mended: bool) -> _Parsed:
    """Return the document that a text says; all its faults are told at once."""
    document, errors = document_faults(text)
    if not errors:
        return _Parsed(document, text)
    if is_mended:
        try:
            repaired = repair_text(text)
        except RecollectError:  # the strict reader's first fault, which is told with all others
            pass
        else:
            said = document_text(repaired.value)  # what further faults quote
            return _Parsed(parse(said), said, repaired.notices)
    faults = Faults(text)
    faults.errors += errors
    faults.raise_first()
    return _Parsed(document, text)


def _placed(told: Sequence[Notice], repairs: Sequence[Notice]) -> Iterator[Notice]:
    """Yield notices with their places: a text that was repaired has none that its author knows."""
    yield from (replace(one, span=None, fix=None) for one in told) if repairs else told


def _closings(graph: Graph, id: str) -> Iterator[Change]:
    """Yield the changes that close what has no place without a node or a space."""
    if id not in graph.elements:
        return
    placing = Placing(graph)
    graph.fetch_places([id])
    places = graph.known_places(id)
    placing.removed.update((one.spot, one) for one in places if not one.is_given)
    if id in graph.spaces:
        placing.closed_spaces.add(id)
    placing.index()
    placing.settle()
    for one in sorted(placing.homeless - {id}):
        yield Delete(graph.elements[one].id)

"""Where each node of a document stands: ids, kinds and spaces, before anything is decided.

How it works. All ids of the document are read at once, and temporary ones get the next free
numbers of the group. Each section is given its space: the one its header names, or none for a
section without a header, whose known nodes stand where they live and whose new ones go to the
target of the call. Then the document is walked once, and every appearance of a node is noted with
the space and the parent it stands at, and whether the document says so or it is only known. What
cannot be resolved is noted as a fault, and the walk goes on, so that all faults are found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from recollect.errors import (
    AMBIGUOUS_PLACE,
    INVALID_HEADER,
    INVALID_ID,
    INVALID_STATE,
    STALE_TEMPORARY_ID,
    TWO_DEFINITIONS,
    UNASSIGNED_ID,
    UNKNOWN_ID,
    Fix,
    Notice,
    nearest,
)
from recollect.faces.markup.faults import FRESH, MOST_TOLD, Faults
from recollect.faces.markup.graph import (
    ACTION,
    ARTICLE,
    CONCEPTUAL,
    EXTENSIONS,
    MAIN,
    MAIN_LABEL,
    NODE,
    NODE_TYPES,
    SPACE,
    WORDS,
    Graph,
    Place,
    is_extension,
    label_of,
    text_of,
)
from recollect.faces.markup.minting import Minting
from recollect.faces.markup.model import LABEL, Document, Id, Node, Space
from recollect.faces.markup.parser import before_remark
from recollect.faces.markup.printer import id_text
from recollect.node import dataclass, field

CREATED, UPDATED, DELETED, PROTECTED = "created", "updated", "deleted", "read-only"


@dataclass(slots=True)
class Appearance:
    """A node at one place of the document."""

    node: Node
    id: str
    state: str | None
    space: str | None  # None: it stands nowhere definite
    parent: str | None  # None: at the root
    is_named: bool  # whether the document says that it stands there
    is_below_extension: bool
    owner: str | None = None  # the ARTICLE or ACTION it stands directly below
    is_owner_marked: bool = False  # whether that says of its fields that they count
    unsure: str | None = None  # the node above it, or itself, of which it is not clear where it is
    is_field: bool = False  # of its owner: a reference, that has no place here


@dataclass(slots=True)
class Resolved:
    """A document on the graph, before anything is decided."""

    ids: dict[str, str]  # what the document's ids became, where they are other ones
    kinds: dict[str, str]  # types of the concepts of all its ids
    new: dict[str, Appearance]  # nodes that it makes, at their first appearance
    new_spaces: dict[str, tuple[str, str]]  # that it makes: kind and Label
    headers: list[tuple[str, Space]]  # with the ids of their spaces
    appearances: list[Appearance]

    def permanent(self, id: Id) -> Id:
        """Return an id of the document as the memory has it."""
        found = self.ids.get(_key(id))
        return id if found is None else Id(found)


@dataclass(slots=True)
class Resolver:
    """Resolves one document; `is_snapshot` is what `load` asks for."""

    graph: Graph
    minting: Minting
    faults: Faults
    notices: list[Notice]
    is_snapshot: bool
    is_fresh: bool = False  # whether every id of the document gets a new one
    target: str | None = None  # where new roots go
    mapped: Mapping[str, str] = field(default_factory=dict)  # temporary ids of earlier answers
    found: Resolved = field(default_factory=lambda: Resolved({}, {}, {}, {}, [], []))
    _named: dict[str, None] = field(
        default_factory=dict
    )  # the document's ids that stay as they are
    _root: tuple[str | None, str | None, bool] | None = None

    def resolve(self, document: Document) -> Resolved:
        """Return the document on the graph; what cannot be is in the faults."""
        nodes = [*document.walk()]
        self._expect(document, nodes)
        self._name_kinds(nodes)
        for section in document.sections:
            if section.kind is None:
                for node in section.nodes:
                    self._walk_root(node)
                continue
            space = self._space(section)
            self.found.headers.append((space or "", section))
            is_closed = section.state == DELETED and not self.is_snapshot
            if space is not None and not is_closed:
                for node in section.nodes:
                    self._walk(node, space, None, is_named=True)
        return self.found

    def id_of(self, id: Id) -> str:
        """Return the permanent id of one of the document."""
        key = f"\0{id.text}" if id.is_temporary else id.text
        return self.found.ids.get(key, key)

    def _expect(self, document: Document, nodes: Iterable[Node]) -> None:
        """Read what the ids of the document name, and give temporary ones their numbers."""
        ids = [one.id for one in nodes]
        ids += [one.id for one in document.sections if one.id is not None]
        _refuse_nul(self.faults, nodes)
        permanent = dict.fromkeys(one.text for one in ids if not one.is_temporary)
        self.minting.avoid(permanent)
        self.graph.fetch(permanent)
        if not self.is_fresh:
            self.graph.fetch_places([one for one in permanent if one in self.graph.elements])
            self._named = permanent
        waiting = dict.fromkeys(_key(one) for one in ids if self.is_fresh or one.is_temporary)
        self.found.ids.update(zip(waiting, self.minting.take(len(waiting)), strict=True))

    def _name_kinds(self, nodes: Iterable[Node]) -> None:
        """Note the type of every id, and refuse two of them for one id."""
        kinds = self.found.kinds
        for node in nodes:
            id, word = self.id_of(node.id), node.kind
            held = self.graph.elements.get(id)
            kind = None if word is None else _kind(word)
            if held is not None:
                kinds[id] = held.type
            elif kind is not None and kinds.get(id) in (None, NODE):
                kinds[id] = kind
            else:
                kinds.setdefault(id, NODE)
            if kinds[id] == SPACE if kind is None else kinds[id] != kind:
                said = "SPACE" if kinds[id] == SPACE else WORDS.get(kinds[id])
                header = f"{said or ''} ID: ".lstrip()
                self.faults.add(
                    TWO_DEFINITIONS,
                    f'"{id}" is {said or kinds[id]}, not {word or "a node"}',
                    node.span,
                    hint=FRESH if self.is_snapshot else f"write - {header}{id_text(node.id)}",
                    fix=self.faults.edited(node.span, f"{word or ''} ID: ".lstrip(), header),
                )

    # Spaces

    def _space(self, header: Space) -> str | None:
        """Return the id of the space that a header names; None where it names none."""
        label = header.label
        if header.id is None:
            return self._space_by_label(header, label)
        id = self.id_of(header.id)
        held = self.graph.elements.get(id)
        if held is None and id in self.found.new_spaces:
            return id
        if held is not None:
            kind = text_of(held.attributes.get("kind")) if held.type == SPACE else held.type
            if kind != header.kind:
                self.faults.add(
                    TWO_DEFINITIONS,
                    f'"{id}" is of the kind {kind}, not {header.kind}',
                    header.span,
                    hint="give the space another id",
                )
                return None
            if self.is_snapshot and label is not None and label_of(held) != label:
                _refuse_label(self.faults, id, label_of(held), header)
            return id
        if header.state == DELETED and self.graph.was_used(id) and not self.is_snapshot:
            told = f"{id} is deleted already"
            self.notices.append(Notice("already_deleted", told, span=header.span))
            return None
        if not header.id.is_temporary and not self.is_snapshot:
            self._refuse_unknown(id, header.state, header)
            return None
        return self._new_space(id, header, label)

    def _space_by_label(self, header: Space, label: str | None) -> str | None:
        alike = [
            id
            for id, one in self.graph.spaces.items()
            if one.attributes.get("kind") == header.kind and label in (None, label_of(one))
        ]
        alike += [
            id
            for id, (kind, own) in self.found.new_spaces.items()
            if kind == header.kind and label in (None, own)
        ]
        match alike:
            case [id]:
                return id
            case []:
                (id,) = self.minting.take(1)
                return self._new_space(id, header, label)
        told = ", ".join(alike[:5])
        self.faults.add(
            AMBIGUOUS_PLACE,
            f"several spaces are that {header.kind}: {told}",
            header.span,
            hint=f"write ID: {alike[0]} below the header",
            known=tuple(alike[:10]),
        )
        return None

    def _new_space(self, id: str, header: Space, label: str | None) -> str | None:
        if header.state == DELETED and not self.is_snapshot:
            self.faults.add(
                INVALID_STATE,
                "a space that is not there cannot be deleted",
                header.span,
                hint="leave it out",
            )
            return None
        if not label:
            self.faults.add(
                INVALID_HEADER,
                f"the new {header.kind} has no Label",
                header.span,
                hint="write Label: below the header",
            )
            return None
        self.found.new_spaces[id] = str(header.kind), label
        self.found.kinds[id] = SPACE
        return id

    # Nodes

    def _walk_root(self, node: Node) -> None:
        """Walk a node of a section without a header."""
        id, home, unsure = self.id_of(node.id), None, None
        if id in self.graph.elements:
            home, is_sure = self._home(id)
            is_made, unsure = is_sure and (node.state in (CREATED, UPDATED) or self.is_snapshot), id
        elif self.is_snapshot:
            is_made = node.state != DELETED
        else:
            is_made = node.id.is_temporary
        if home is not None:
            self._walk(node, home.space, home.parent, is_named=False, is_below=self._is_below(home))
        elif is_made:
            space, parent, is_below = self._target(node)
            self._walk(node, space, parent, is_named=True, is_below=is_below)
        else:
            self._walk(node, None, None, is_named=False, unsure=unsure)

    def _home(self, id: str) -> tuple[Place | None, bool]:
        """Return where a known node lives, and whether it is sure where, or that it is nowhere."""
        places = self.graph.known_places(id)
        if not places:
            return None, True
        if len({one.space for one in places}) > 1:
            shown = [
                one
                for one in places
                if (one.space if one.parent is None else one.parent) in self._named
            ]
            if len({one.space for one in shown}) != 1:
                return None, False
            places = shown
        return places[0], True

    def _is_below(self, place: Place) -> bool:
        """Whether a place is joined as those below an extension are."""
        is_plain = self.graph.space_kind(place.space) == CONCEPTUAL
        return not is_plain and place.predicate == "parent"

    def _target(self, node: Node) -> tuple[str | None, str | None, bool]:
        """Return space and parent of what names no other, and whether it is below an extension."""
        if self._root is None:
            self._root = self._target_place(node)
        return self._root

    def _target_place(self, node: Node) -> tuple[str | None, str | None, bool]:
        target = self.target
        if target is None:
            if MAIN not in self.graph.spaces:
                self.found.new_spaces.setdefault(MAIN, (CONCEPTUAL, MAIN_LABEL))
                self.found.kinds[MAIN] = SPACE
            return MAIN, None, False
        self.graph.fetch([target])
        held = self.graph.elements.get(target)
        if held is None:
            self._refuse_unknown(target, None, node)
            return None, None, False
        if held.type == SPACE:
            return target, None, False
        self.graph.fetch_places([target])
        home, _ = self._home(target)
        if home is None:
            self._refuse_ambiguous(target, node)
            return None, None, False
        return home.space, target, is_extension(held.type) or self._is_below(home)

    def _walk(
        self,
        root: Node,
        space: str | None,
        parent: str | None,
        *,
        is_named: bool,
        is_below: bool = False,
        unsure: str | None = None,
    ) -> None:
        """Note a node and all below it, in the order of the document."""
        first = self._appearance(root, space, parent, is_named=is_named, is_below=is_below)
        first.unsure = unsure
        waiting = [first]
        while waiting:
            above = waiting.pop()
            self.found.appearances.append(above)
            if above.state == DELETED:
                if not self.is_snapshot:
                    _refuse_created_below(self.faults, above.node)
                continue
            kind = self.found.kinds[above.id]
            below = above.is_below_extension or is_extension(kind)
            waiting += [
                self._appearance(
                    node, above.space, above.id, is_named=True, is_below=below, above=above
                )
                for node in reversed(above.node.nodes)
            ]

    def _appearance(
        self,
        node: Node,
        space: str | None,
        parent: str | None,
        *,
        is_named: bool,
        is_below: bool,
        above: Appearance | None = None,
    ) -> Appearance:
        id = self.id_of(node.id)
        state = node.state
        if self.is_snapshot and state in (CREATED, UPDATED):
            state = None
        found = Appearance(node, id, state, space, parent, is_named, is_below)
        if above is not None:
            found.unsure = above.unsure
        if above is not None and self.found.kinds[above.id] in (ARTICLE, ACTION):
            found.owner = above.id
            is_made = above.id in self.found.new
            is_marked = above.state in (CREATED, UPDATED)
            found.is_owner_marked = self.is_snapshot or is_made or is_marked
        self._check(found)
        return found

    def _check(self, one: Appearance) -> None:
        """Refuse an appearance whose id and state cannot be; note what is new."""
        node, id = one.node, one.id
        held = self.graph.elements.get(id)
        if one.state == DELETED and self.is_snapshot:
            return
        kind = self.found.kinds[id]
        if kind == SPACE:
            self._check_space(one)
        elif held is None:
            self._check_new(one)
        elif self.is_snapshot and node.label is not None and held.type in NODE_TYPES:
            stands = label_of(held)
            if node.label != stands and not _is_remarked(node, stands):
                _refuse_label(self.faults, id, stands, node)

    def _check_space(self, one: Appearance) -> None:
        if one.state == CREATED:
            self.faults.add(
                INVALID_HEADER,
                "a space is not created inside a tree",
                one.node.span,
                hint='begin a section with "- CONCEPTUAL SPACE"',
            )
        elif one.id not in self.graph.elements and one.id not in self.found.new_spaces:
            self._refuse_unknown(one.id, None, one.node)

    def _check_new(self, one: Appearance) -> None:
        node, id, state = one.node, one.id, one.node.state
        if node.id.is_temporary or self.is_fresh:
            if state == DELETED:
                self.faults.add(
                    INVALID_STATE,
                    f"{node.id.text} is new, so it cannot be deleted",
                    node.span,
                    hint="leave the node out",
                )
                return
            if state != CREATED and node.id.text in self.mapped:
                permanent = self.mapped[node.id.text]
                self.faults.add(
                    STALE_TEMPORARY_ID,
                    f'{node.id.text} has become "{permanent}"',
                    node.span,
                    hint=f"write ID: {permanent}",
                    known=(permanent,),
                    fix=self._renamed(node, id_text(Id(permanent))),
                )
                return
        elif not self.is_snapshot:
            if state == DELETED and self.graph.was_used(id):
                return
            self._refuse_unknown(id, state, node)
            return
        if id not in self.found.new:
            self.found.new[id] = one
            if node.kind == "BRANCH" or not (self.is_snapshot or state == CREATED):
                is_marked = self.is_snapshot or state == CREATED
                self.notices += _notices_of(self.faults, node, is_marked=is_marked)

    # Faults

    def _refuse_unknown(self, id: str, state: str | None, where: Node | Space) -> None:
        was = self.graph.was_used(id)
        if state == CREATED and not was:
            new = self.faults.new_id(id)
            self.faults.add(
                UNASSIGNED_ID,
                f'the id "{id}" was given to nothing: ids are given by the memory',
                where.span,
                hint=f"write {new} for a new node",
                fix=self._renamed(where, new),
            )
            return
        is_told = len(self.faults.errors) < MOST_TOLD  # to compare with all ids takes long
        known = (*filter(self.graph.elements.__contains__, self._named), *self.graph.spaces)
        near = () if was or not is_told else nearest(id, known)
        better = id_text(Id(near[0])) if near else ""
        self.faults.add(
            UNKNOWN_ID,
            f'"{id}" was deleted' if was else f'nothing has the id "{id}"',
            where.span,
            hint=f"write ID: {better}" if near else "write new-1 [created] for a new node",
            known=near,
        )

    def _renamed(self, where: Node | Space, id: str) -> Fix | None:
        """Return the edit that gives a header another id."""
        place = self.faults.id_place(where.span)
        return None if place is None else Fix(place, id)

    def _refuse_ambiguous(self, id: str, where: Node) -> None:
        places = self.graph.known_places(id)
        spaces = tuple(dict.fromkeys(one.space for one in places))
        self.faults.add(
            AMBIGUOUS_PLACE,
            f'"{id}" stands in {len(spaces)} spaces' if spaces else f'"{id}" stands in no space',
            where.span,
            hint="write it below the header of the space that is meant",
            known=spaces[:10],
        )

    def refuse_place(self, one: Appearance) -> None:
        """Note that it is not clear where a node of the document stands."""
        self._refuse_ambiguous(one.unsure or one.id, one.node)


def _refuse_label(faults: Faults, id: str, held: str | None, where: Node | Space) -> None:
    said = "has no Label" if held is None else f'has the Label "{held}"'
    faults.add(TWO_DEFINITIONS, f'"{id}" is taken: it {said}', where.span, hint=FRESH)


def _refuse_created_below(faults: Faults, deleted: Node) -> None:
    for node in deleted.walk():
        if node.state == CREATED:
            faults.add(
                INVALID_STATE,
                f"{node.id.text} is created below a node that is deleted",
                node.span,
                hint="create it somewhere else",
            )


def _refuse_nul(faults: Faults, nodes: Iterable[Node]) -> None:
    """Refuse ids with the character by which temporary ids are told from permanent ones."""
    for node in nodes:
        if "\0" in node.id.text:
            told = "an id holds the character NUL"
            faults.add(INVALID_ID, told, node.span, hint="leave it out")
    faults.raise_first()


def _notices_of(faults: Faults, node: Node, *, is_marked: bool) -> Iterator[Notice]:
    """Yield what to know about a node that is made."""
    if not is_marked:
        told = f"{node.id.text} is created, though it is not marked"
        fix = faults.marked(node, CREATED)
        yield Notice("unmarked", told, "write [created]", node.span, fix=fix)
    if node.kind == "BRANCH":
        told = f"{node.id.text} becomes a plain node: a branch is a view"
        yield Notice("branch", told, span=node.span)


def _is_remarked(node: Node, stands: str | None) -> bool:
    """Whether a Label is the one that stands, with a remark behind it."""
    if node.label is None or stands is None or LABEL not in node.remarked:
        return False
    return before_remark(node.label, frozenset({stands})) is not None


def _key(id: Id) -> str:
    """Return an id as this document tells it from all others: `new-1` is not `"new-1"`."""
    return f"\0{id.text}" if id.is_temporary else id.text


def _kind(word: str) -> str | None:
    """Return the concept type that a header says; None for a branch."""
    return SPACE if word == "SPACE" else EXTENSIONS.get(word)

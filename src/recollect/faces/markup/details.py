"""What a document says about its nodes: their fields, what they use, and the values of articles.

How it works. The fields of one id may stand at several places of a document: those that count are
gathered, the first appearance first, and compared with what the graph holds; only differences
become changes. Fields count where the node is new, marked `[updated]` or loaded. A `Value` is not
the node's own: it belongs to the article above it and the field, and is checked against the type
that the field's Content names. What differs and does not count is told in a notice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from recollect.errors import (
    INVALID_CHARACTER,
    TEMPLATE_MISMATCH,
    TWO_DEFINITIONS,
    UNKNOWN_FIELD,
    UNKNOWN_ID,
    Hint,
    Notice,
    ToDo,
    nearest,
)
from recollect.faces.markup.faults import SEE_NODES, Faults
from recollect.faces.markup.graph import (
    ARTICLE,
    CONTENT,
    DETAILS,
    FIELD_NODE,
    FIELD_VALUE,
    FUNCTION,
    LABEL,
    NOTE,
    ORDER,
    PARENT,
    RESERVED,
    TEMPLATE,
    USES_FUNCTION,
    USES_TEMPLATE,
    WORDS,
    Graph,
    label_of,
    order_of,
    text_of,
)
from recollect.faces.markup.model import (
    CONTENT as FIELD_CONTENT,
    LABEL as FIELD_LABEL,
    USE_FUNCTION,
    USE_TEMPLATE,
    VALUE,
    Node,
    Space,
)
from recollect.faces.markup.parser import before_remark
from recollect.faces.markup.resolving import CREATED, DELETED, UPDATED, Appearance, Resolved
from recollect.faces.markup.values import FieldType, FieldValue, field_type, field_value, hint_for
from recollect.model import (
    SEARCH_ATTRIBUTES,
    Change,
    Concept,
    Delete,
    Joint,
    PutLink,
    RemoveKeys,
    Value,
)
from recollect.node import dataclass, field

ATTRIBUTES = {FIELD_LABEL: LABEL, FIELD_CONTENT: CONTENT}
_USES = {USE_TEMPLATE: (USES_TEMPLATE, TEMPLATE), USE_FUNCTION: (USES_FUNCTION, FUNCTION)}
_OWN = {**ATTRIBUTES, **_USES}  # the fields that say something of the node itself
_AS_CONTENT = Hint(
    "put it into Content, or pass extra_fields=True", ToDo.PASS_OPTION, "extra_fields", "true"
)
_UNSEARCHED = {SEARCH_ATTRIBUTES: list[Value]()}


@dataclass(slots=True)
class DocumentChanges:
    """What a document changes about its nodes and spaces, by id."""

    attributes: dict[str, dict[str, Value]] = field(default_factory=dict)  # set, or None: cleared
    updated: dict[str, Node | Space] = field(default_factory=dict)  # known ids that change
    links: list[Change] = field(default_factory=list)


@dataclass(slots=True)
class Details:
    """Reads the fields of one resolved document."""

    graph: Graph
    resolved: Resolved
    faults: Faults
    notices: list[Notice]
    is_snapshot: bool
    extra_fields: bool
    said: DocumentChanges = field(default_factory=DocumentChanges)
    _stored: dict[str, list[Joint]] = field(default_factory=dict)  # links of details, by subject
    _uses: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # by id and predicate
    _parts: dict[str, dict[str, None]] = field(default_factory=dict)  # fields by what has them

    def read(self) -> DocumentChanges:
        """Return what changes."""
        by_id = defaultdict[str, list[Appearance]](list)
        for one in self.resolved.appearances:
            by_id[one.id].append(one)
        self._fetch_details(by_id)
        for id, ones in by_id.items():
            self._read_fields(id, [one for one in ones if one.state != DELETED])
        for id, header in self.resolved.headers:
            if header.state != DELETED or self.is_snapshot:
                self._read_space(id, header)
        self._read_values()
        return self.said

    def check_names(self) -> None:
        """Note the fields that may not be there, where no more is sure than who says them."""
        told: list[tuple[str, Node | Space]] = [*self.resolved.headers]
        told += [(one.id, one.node) for one in self.resolved.appearances if one.state != DELETED]
        for id, where in told:
            for key in where.fields:
                self._is_known(key, self.graph.elements.get(id), where)

    # Fields of nodes

    def _read_fields(self, id: str, ones: Sequence[Appearance]) -> None:
        is_new = id in self.resolved.new
        held = self.graph.elements.get(id)
        is_counted = is_new or self.is_snapshot
        counted: dict[str, str] = {}
        for one in ones:
            if not (is_counted or one.state == UPDATED):
                continue
            for key, value in self._fields(one.node, held):
                if counted.setdefault(key, value) == value:
                    continue
                if self.is_snapshot:
                    self._note("restated", one, key)
                else:
                    self._refuse_other(one, key)
        if is_new and not counted:
            told = f"{ones[0].node.id.text} says nothing" if ones else f"{id} says nothing"
            self.notices.append(Notice("empty", told, span=ones[0].node.span if ones else None))
        for one in () if is_counted else ones:
            if one.state != UPDATED:
                self._compare(one, held, counted)
        if ones:
            self._keep(id, held, counted, ones[0].node)

    def _fields(self, node: Node, held: Concept | None) -> Iterator[tuple[str, str]]:
        """Yield the fields of a node that are its own, and may be there."""
        for key, value in node.fields.items():
            if key == VALUE:
                continue
            if (key not in _OWN or "\0" in value) and not self._is_known(key, held, node):
                continue
            if held is not None and key in node.remarked:
                stands = self.stored(held.id, held, key)
                said = None if stands is None else before_remark(value, frozenset({stands}))
                yield key, value if said is None else said
            else:
                yield key, value

    def _is_known(self, key: str, held: Concept | None, where: Node | Space) -> bool:
        """Whether a field may be there, and its value may be kept."""
        if not _can_keep(self.faults, key, where.fields[key], where):
            return False
        if key in _OWN or key == VALUE:
            return True
        is_free = key not in RESERVED
        if is_free and (self.extra_fields or (held is not None and key in held.attributes)):
            return True
        near = nearest(key, (*_OWN, VALUE), limit=1)
        self.faults.add(
            UNKNOWN_FIELD,
            f"{key} is no field of Knowing Markup",
            self.faults.at(where.span, key),
            hint=_AS_CONTENT if is_free else "give it another name",
            known=(*near, *(one for one in (*_OWN, VALUE) if one not in near)),
        )
        return False

    def _compare(self, one: Appearance, held: Concept | None, counted: dict[str, str]) -> None:
        """Tell of what an appearance says otherwise, and is not marked to say."""
        for key, value in self._fields(one.node, held):
            stands = self.stored(one.id, held, key)
            if value in (stands or "", counted.get(key)):
                continue
            self._note("restated" if key in counted else "unmarked", one, key)

    def stored(self, id: str, held: Concept | None, key: str) -> str | None:
        """Return a field as the graph holds it."""
        if key in _USES:
            predicate, _ = _USES[key]
            found = [
                one.link.object
                for one in self._stored.get(id, ())
                if one.link.predicate == predicate
            ]
            return ", ".join(found) or None
        if held is None:
            return None
        if key == FIELD_LABEL:
            return label_of(held)
        value = held.attributes.get(ATTRIBUTES.get(key, key))
        return None if value is None else text_of(value)

    def _keep(
        self, id: str, held: Concept | None, counted: dict[str, str], where: Node | Space
    ) -> None:
        """Note the fields that differ from what the graph holds."""
        changed: dict[str, Value] = {}
        is_changed = False
        for key, value in counted.items():
            if key in _USES:
                is_changed |= self._use(id, key, value, where)
            elif value != ("" if held is None else self.stored(id, held, key) or ""):
                changed[ATTRIBUTES.get(key, key)] = value or None
        if held is None or changed:
            self.said.attributes[id] = changed
        if held is not None and (changed or is_changed):
            self.said.updated.setdefault(id, where)

    def _read_space(self, id: str, header: Space) -> None:
        held = self.graph.elements.get(id)
        is_counted = held is None or self.is_snapshot or header.state == UPDATED
        counted: dict[str, str] = {}
        for key, value in header.fields.items():
            if not self._is_known(key, held, header):
                continue
            if is_counted:
                counted.setdefault(key, value)
            elif value != (self.stored(id, held, key) or ""):
                self._note_at("unmarked", header, key, id)
        self._keep(id, held, counted, header)

    # What a node uses

    def _use(self, id: str, key: str, value: str, where: Node | Space) -> bool:
        """Note the links of `Use template` and `Use function`; return whether any changes."""
        predicate, kind = _USES[key]
        wanted = list(dict.fromkeys(self._named(one) for one in value.split(",") if one.strip()))
        self._uses.setdefault(id, {})[predicate] = wanted
        for one in wanted:
            held = self.graph.elements.get(one)
            found = self.resolved.kinds.get(one) if held is None else held.type
            if found != kind:
                is_there = found is not None
                told = f'"{one}" is no {WORDS[kind]}' if is_there else f'nothing has the id "{one}"'
                at = self.faults.at(where.span, key)
                self.faults.add(UNKNOWN_ID, told, at, hint=f"{key}: the id of a {WORDS[kind]}")
                return False
        stored = [one for one in self._stored.get(id, ()) if one.link.predicate == predicate]
        if [one.link.object for one in stored] == wanted:
            return False
        kept = {one.link.object for one in stored}
        self.said.links += [Delete(one.link.id) for one in stored if one.link.object not in wanted]
        self.said.links += [
            PutLink(id, predicate, one, {ORDER: number}, _UNSEARCHED)
            for number, one in enumerate(wanted)
            if one not in kept or len(wanted) > 1
        ]
        return True

    def _named(self, text: str) -> str:
        """Return the permanent id that a reference in a field names."""
        text = text.strip()
        ids = self.resolved.ids
        return ids.get(f"\0{text}") or ids.get(text, text)

    # Values of articles

    def _fetch_details(self, by_id: Iterable[str]) -> None:
        """Read the links of details of all known nodes that the document says something of."""
        known = [one for one in by_id if one in self.graph.elements]
        joints = self.graph.nexus.joints.at(known, "subject", DETAILS) if known else []
        for joint in joints:
            self._stored.setdefault(joint.link.subject, []).append(joint)
            if joint.far is not None:
                self.graph.elements.setdefault(joint.far.id, joint.far)
        for ones in self._stored.values():
            ones.sort(key=lambda one: order_of(one.link.attributes))
        named: set[str] = set()
        for one in self.resolved.appearances:
            for key, value in one.node.fields.items():
                if key in _USES:
                    named.update(self._named(part) for part in value.split(","))
        self.graph.fetch(one for one in named if one and one not in self.resolved.kinds)

    def _read_values(self) -> None:
        """Read the values below articles and actions."""
        owned = [one for one in self.resolved.appearances if one.owner is not None]
        owners = dict.fromkeys(one.owner for one in owned if one.owner is not None)
        sources = {owner: self._source(owner) for owner in owners}
        self._fetch_parts({one for one in sources.values() if one is not None})
        waiting: list[tuple[Appearance, FieldValue]] = []
        for one in owned:
            assert one.owner is not None
            source = sources[one.owner]
            parts = {} if source is None else self._parts.get(source, {})
            value = one.node.value
            if value is None and one.id not in parts:
                continue
            one.is_field = True
            if one.id not in parts:
                self._refuse_field(one, source)
                continue
            if one.state == DELETED:
                value = ""
            if value is None or not _can_keep(self.faults, VALUE, value, one.node):
                continue
            found = self._checked(one, value)
            if found is not None:
                waiting.append((one, found))
        self.graph.fetch(node for _, found in waiting for node in found.nodes)
        for one, found in waiting:
            self._keep_value(one, found)
        for one in self.resolved.appearances:
            if one.owner is None and one.node.fields.get(VALUE):
                at = self.faults.at(one.node.span, VALUE)
                self.faults.add(
                    TEMPLATE_MISMATCH,
                    f"{one.node.id.text} has a Value, and stands below no ARTICLE and no ACTION",
                    at,
                    hint="write Content: for what the node itself says",
                    fix=None
                    if FIELD_CONTENT in one.node.fields
                    else self.faults.edited(at, VALUE, FIELD_CONTENT),
                )

    def _source(self, owner: str) -> str | None:
        """Return the template of an article, or the function of an action."""
        kind = self.resolved.kinds[owner]
        predicate = USES_TEMPLATE if kind == ARTICLE else USES_FUNCTION
        told = self._uses.get(owner, {}).get(predicate)
        if told is not None:
            return told[0] if told else None
        return next(
            (
                one.link.object
                for one in self._stored.get(owner, ())
                if one.link.predicate == predicate
            ),
            None,
        )

    def _fetch_parts(self, sources: set[str]) -> None:
        """Read the fields of templates, and the arguments of functions."""
        if not sources:
            return
        known = [one for one in sources if one in self.graph.elements]
        joints = self.graph.nexus.joints.at(known, "object", (PARENT,)) if known else []
        for joint in joints:
            if joint.far is not None and joint.far.type != NOTE:
                self.graph.elements.setdefault(joint.far.id, joint.far)
                self._parts.setdefault(joint.link.object, {})[joint.far.id] = None
        for one in self.resolved.appearances:
            is_part = one.parent in sources and self.resolved.kinds[one.id] != NOTE
            is_made = one.id in self.resolved.new or one.state in (CREATED, UPDATED)
            if is_part and is_made and one.parent is not None:
                self._parts.setdefault(one.parent, {})[one.id] = None

    def _type_of(self, field_id: str) -> FieldType:
        told = self.said.attributes.get(field_id, {})
        held = self.graph.elements.get(field_id)
        content = None if held is None else held.attributes.get(CONTENT)
        content = told.get(CONTENT, content)
        return field_type("" if content is None else text_of(content))

    def _checked(self, one: Appearance, value: str) -> FieldValue | None:
        """Return a value that is of its field's type; a fault where it is not."""
        if not value:
            return FieldValue("")
        kind = self._type_of(one.id)
        if kind.name == "node":
            value = (
                ", ".join(map(self._named, value.split(",")))
                if kind.is_list
                else self._named(value)
            )
        found = field_value(value, kind)
        if found is None:
            at = self.faults.at(one.node.span, VALUE)
            self.faults.add(
                TEMPLATE_MISMATCH,
                f"{value!r:.60} is not of the type {kind}, which {self._label(one.id):.60} takes",
                at,
                hint=hint_for(kind),
                known=kind.choices[:10],
                details={"field": one.id, "type": str(kind), "value": value},
            )
        return found

    def _refuse_field(self, one: Appearance, source: str | None) -> None:
        assert one.owner is not None
        if not (source is None or source in self.graph.elements or source in self.resolved.kinds):
            return  # that it is nothing is told where it is named
        is_article = self.resolved.kinds[one.owner] == ARTICLE
        what = "field of the ARTICLE" if is_article else "argument of the ACTION"
        told = "nothing" if source is None else f'"{source}"'
        known = () if source is None else tuple(self._parts.get(source, {}))
        self.faults.add(
            TEMPLATE_MISMATCH,
            f"{one.node.id.text} is no {what} above it, which uses {told}",
            one.node.span,
            hint=f"write ID: {known[0]}" if known else "write Use template: below the ARTICLE",
            known=known[:10],
            details={"field": one.id},
        )

    def _keep_value(self, one: Appearance, value: FieldValue) -> None:
        """Note a value that differs from the one that stands."""
        assert one.owner is not None
        owner = one.owner
        missing = [
            node
            for node in value.nodes
            if node not in self.graph.elements and node not in self.resolved.new
        ]
        if missing:
            at = self.faults.at(one.node.span, VALUE)
            told = f'nothing has the id "{missing[0]}"'
            self.faults.add(UNKNOWN_ID, told, at, hint=SEE_NODES)
            return
        stored = [
            joint
            for joint in self._stored.get(owner, ())
            if joint.link.predicate == FIELD_VALUE and joint.link.object == one.id
        ]
        stands = text_of(stored[0].link.attributes.get("value")) if stored else ""
        if stands == value.text:
            return
        if not (one.is_owner_marked or one.state in (CREATED, UPDATED, DELETED)):
            self._note("unmarked", one, VALUE)
            return
        self.said.links += [*_value_changes(owner, one.id, value, stored)]
        nodes = [
            joint
            for joint in self._stored.get(owner, ())
            if joint.link.predicate == FIELD_NODE and joint.key == one.id
        ]
        self.said.links += [
            Delete(joint.link.id) for joint in nodes if joint.link.object not in value.nodes
        ]
        self.said.links += [
            PutLink(owner, FIELD_NODE, node, {}, _UNSEARCHED, key=one.id) for node in value.nodes
        ]
        if owner in self.graph.elements:
            self.said.updated.setdefault(owner, one.node)

    # Notices and faults

    def _label(self, id: str) -> str:
        told = self.said.attributes.get(id, {}).get(LABEL)
        held = self.graph.elements.get(id)
        return text_of(told) if told else (label_of(held) if held else None) or id

    def _note(self, code: str, one: Appearance, key: str) -> None:
        self._note_at(code, one.node, key, one.node.id.text)

    def _note_at(self, code: str, where: Node | Space, key: str, id: str) -> None:
        fix = None
        if code == "unmarked":
            told, hint = f"{key} of {id} is left as it is: it is not marked", "write [updated]"
            fix = self.faults.marked(where, UPDATED)
        else:
            told, hint = f"{key} of {id} is told twice: the first stands", ""
        self.notices.append(Notice(code, told, hint, self.faults.at(where.span, key), fix=fix))

    def _refuse_other(self, one: Appearance, key: str) -> None:
        self.faults.add(
            TWO_DEFINITIONS,
            f"{key} of {one.node.id.text} is given twice, and not alike",
            self.faults.at(one.node.span, key),
            hint="say it once",
        )


def _can_keep(faults: Faults, key: str, value: str, where: Node | Space) -> bool:
    """Whether the memory can keep the value of a field; a fault where not."""
    if "\0" not in value:
        return True
    told, at = f"{key} holds the character NUL", faults.at(where.span, key)
    faults.add(INVALID_CHARACTER, told, at, hint="leave it out")
    return False


def _value_changes(
    owner: str, field_id: str, value: FieldValue, stored: Sequence[Joint]
) -> Iterator[Change]:
    """Yield what makes a value of an article the one that is told."""
    if not value.text:
        yield from (Delete(one.link.id) for one in stored)
        return
    told: dict[str, Value] = {"value": value.text, "number": value.number, "unit": value.unit}
    said = {key: one for key, one in told.items() if one is not None}
    yield PutLink(owner, FIELD_VALUE, field_id, said)
    stale = frozenset(told.keys() - said.keys())
    for one in stored:
        if stale & one.link.attributes.keys():
            yield RemoveKeys(one.link.id, stale)

"""The attribute and metadata keys that elements have, to warn of a query that reads none of them.

The rule: only an answer that shows nothing of a key is looked into, and what a look costs does
not grow with the memory: it ends at the newest elements of the kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from recollect.errors import Notice, RecollectError, nearest
from recollect.kernel.lang import ast
from recollect.kernel.lang.diagnose import quoted
from recollect.kernel.plan.bind import Bindings
from recollect.kernel.read.cache import Cache
from recollect.kernel.store.group import Group
from recollect.kernel.store.protocol import Session, SqlValue
from recollect.kernel.store.schema import LIVING
from recollect.kernel.store.terms import Terms
from recollect.model import Rows, Value

MOST_LISTED = 1_000  # newest elements whose keys are known by name
MOST_SEARCHED = 10_000  # newest elements among which a key may be

_CLOCKS = ("_valid_at", "_invalid_at", "_created_at", "_updated_at", "_expired_at", "_version")
_FIELDS = {"concept": ("id", "type", "name"), "link": ("id", "subject", "predicate", "object")}
_TERMS = {"concept": "type", "link": "predicate"}
_WORDS = {ast.Section.ATTRIBUTES: "attribute", ast.Section.METADATA: "metadata key"}
_CLAUSES = {ast.Section.ATTRIBUTES: "ATTR", ast.Section.METADATA: "META"}
_NUMBER = "SELECT g.number FROM grp AS g WHERE g.group_id = ?"


@dataclass(frozen=True, slots=True)
class _Kind:
    """Concepts of one type, links of one predicate, or all of either."""

    table: str
    term: str | None = None

    def has(self, what: str) -> str:
        """Return the words for that no element of the kind has something."""
        match self.table, self.term:
            case _, None:
                return f"nothing has {what}"
            case "concept", term:
                return f"no concept of type {quoted(str(term))} has {what}"
            case _, term:
                return f"no link {quoted(str(term))} has {what}"

    def describe(self) -> str:
        """Return the text that tells the keys of the kind."""
        what = "CONCEPT" if self.table == "concept" else "PROPOSITION"
        return f"DESCRIBE {what} " + ("TYPES" if self.term is None else f"TYPE {quoted(self.term)}")


class KnownKeys:
    """The keys of one group's elements; safe to share between threads."""

    def __init__(self, group: Group, terms: Terms) -> None:
        self._group = group
        self._terms = terms
        self._listed: Cache[tuple[_Kind, ast.Section, int], frozenset[str]] = Cache(256)
        self._found: Cache[tuple[_Kind, ast.Section, str, int], bool] = Cache(256)

    def unknown(
        self, session: Session, find: ast.Find, bindings: Bindings, answer: Rows
    ) -> Iterator[Notice]:
        """Yield a warning for each key a FIND reads, shows no value of, and no element has."""
        doubtful = list(_doubtful(find, answer))
        if not doubtful:
            return
        number = session.row(_NUMBER, (self._group.group_id,))
        if number is None:
            return
        look = _Look(session, int(str(number[0])))
        try:
            for read in doubtful:
                key = _text(read.key, bindings)
                kinds = list(dict.fromkeys(_kinds(find.where, read.target, bindings)))
                if key is not None and kinds and not self._is_known(look, kinds, read.section, key):
                    yield self._notice(look, kinds, read, key)
        except RecollectError as error:
            if error.code.category != "limit":  # the answer is whole without its warnings
                raise

    def _is_known(
        self, look: _Look, kinds: Sequence[_Kind], section: ast.Section, key: str
    ) -> bool:
        if section is ast.Section.METADATA and key.startswith("_"):
            return key in _CLOCKS
        for kind in kinds:
            if section is ast.Section.ATTRIBUTES and key in _FIELDS[kind.table]:
                return True
            if key in self._keys(look, kind, section):
                return True
        return any(
            self._found.get(
                (kind, section, key, look.number), lambda kind=kind: self._has(look, kind, section, key)
            )
            for kind in kinds
        )

    def _notice(
        self, look: _Look, kinds: Sequence[_Kind], read: ast.ReadClause, key: str
    ) -> Notice:
        section = read.section
        near = nearest(key, self._names(look, kinds, section), limit=3)
        other = next(one for one in ast.Section if one is not section)
        if key in self._names(look, kinds, other):
            hint = f"read it with {_CLAUSES[other]}"
        elif near:
            hint = "use " + " or ".join(quoted(one) for one in near)
        else:
            hint = f"run {kinds[0].describe()}"
        message = kinds[0].has(f"the {_WORDS[section]} {quoted(key)}")
        return Notice("unknown_attribute", message, hint, read.key.span)

    def _names(self, look: _Look, kinds: Sequence[_Kind], section: ast.Section) -> list[str]:
        """Return the keys that may be read from elements of some kinds."""
        own: Iterable[str] = _CLOCKS
        if section is ast.Section.ATTRIBUTES:
            own = (field for kind in kinds for field in _FIELDS[kind.table])
        stored = (key for kind in kinds for key in sorted(self._keys(look, kind, section)))
        return list(dict.fromkeys([*stored, *own]))

    def _keys(self, look: _Look, kind: _Kind, section: ast.Section) -> frozenset[str]:
        return self._listed.get(
            (kind, section, look.number), lambda: frozenset(self._list(look, kind, section))
        )

    def _list(self, look: _Look, kind: _Kind, section: ast.Section) -> Iterator[str]:
        newest, parameters = self._newest(look, kind, section, MOST_LISTED)
        sql = f"SELECT DISTINCT member.key FROM ({newest}) AS newest CROSS JOIN json_each(newest.content) AS member"  # noqa: S608, E501
        for (key,) in look.session.rows(sql, parameters):
            yield str(key)

    def _has(self, look: _Look, kind: _Kind, section: ast.Section, key: str) -> bool:
        newest, parameters = self._newest(look, kind, section, MOST_SEARCHED)
        sql = f"SELECT 1 FROM ({newest}) AS newest CROSS JOIN json_each(newest.content) AS member WHERE member.key = :key LIMIT 1"  # noqa: S608, E501
        return look.session.row(sql, {**parameters, "key": key}) is not None

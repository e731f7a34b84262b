"""Random queries: every clause, nested, over the words the graphs are made of.

Variables come from two small pools, one for each kind, and what is bound already is preferred:
so most queries are valid, are joined, and find something. Those that are not must fail alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import strategies as st
from tests.reference.mentions import names
from tests.reference.vocabulary import (
    KEYS,
    LINKS,
    NAMES,
    PATTERNS,
    PREDICATES,
    SCALARS,
    TYPES,
    text,
    values,
)

from recollect.kernel.lang import ast, literal
from recollect.kernel.lang.words import TEXT_TESTS
from recollect.model import Value

ELEMENTS = ("a", "b", "c", "d")
VALUES = ("v", "w", "x")
BOUNDS = (
    (0, 0), (0, 1), (0, 2), (0, None), (1, 2), (1, None), (2, 2), (2, 3), (2, None), (3, 3),
    (0, 70), (1, 99), (2, 80),  # there is room for every link
)  # fmt: skip
FIELDS = ("name", "name", "type", "id", "subject", "predicate", "object")
UNKNOWN = "nothing"
Column = ast.Variable | ast.Field | ast.Aggregate


@dataclass(frozen=True, slots=True)
class Question:
    """A query and the values of its placeholders."""

    query: ast.Find
    parameters: dict[str, Value]


@dataclass(slots=True)
class _Writer:
    """Writes the clauses of one query; `bound` is a guess at what the scope holds."""

    draw: st.DrawFn
    parameters: dict[str, Value] = field(default_factory=dict)
    gives: bool = True  # whether some values are handed over as parameters
    busy: set[str] = field(default_factory=set)  # variables of the clause being written
    metadata: tuple[str, ...] = KEYS  # what META reads
    names_links: bool = False  # whether links are named by placeholders for their ids

    def chance(self, percent: int) -> bool:
        return self.draw(st.integers(1, 100)) > 100 - percent

    def one_of(self, *choices: object) -> object:
        return self.draw(st.sampled_from(choices))

    def word(self, words: tuple[str, ...]) -> ast.Literal | ast.Parameter:
        word = UNKNOWN if self.chance(3) else self.draw(st.sampled_from(words))
        return self.given(word)

    def given(self, value: Value) -> ast.Literal | ast.Parameter:
        """Write a value out, or now and then hand it over as a parameter."""
        if not (self.gives and self.chance(8)):
            return literal(value)
        name = f"given{len(self.parameters)}"
        self.parameters[name] = value
        return ast.Parameter(name)

    def variable(self, pool: tuple[str, ...], bound: set[str], reuse: int) -> ast.Variable:
        fresh = [name for name in pool if name not in self.busy]
        choices = fresh if fresh and not self.chance(8) else list(pool)
        known = [name for name in choices if name in bound]
        name = self.draw(st.sampled_from(known if known and self.chance(reuse) else choices))
        bound.add(name)
        self.busy.add(name)
        return ast.Variable(name)

    def clauses(self, bound: set[str], depth: int, most: int) -> tuple[ast.Clause, ...]:
        count = self.draw(st.integers(1, most))
        return tuple(self.clause(bound, depth) for _ in range(count))

    def clause(self, bound: set[str], depth: int) -> ast.Clause:
        self.busy = set()
        kinds = ["concept"] * 2 + ["link"] * 5 + ["read"] * 4 + ["filter"] * 2
        if depth:
            kinds += ["not", "not", "optional", "optional", "union", "union"]
        if not bound and self.chance(95):
            kinds = ["concept", "link", "link", "link"]
        match self.draw(st.sampled_from(kinds)):
            case "concept":
                variable = None if self.chance(8) else self.variable(ELEMENTS, bound, 50)
                return ast.ConceptClause(variable, self.concept())
            case "link":
                variable = self.variable(ELEMENTS, bound, 20) if self.chance(35) else None
                if self.names_links and self.chance(8):
                    return ast.LinkClause(variable, self.link_id())
                return ast.LinkClause(variable, self.link(bound, 1))
            case "read":
                return self.read(bound)
            case "filter":
                return ast.FilterClause(self.expression(bound, 2))
            case "not":
                return ast.NotClause(self.clauses(set(bound), depth - 1, 3))
            case "optional":
                return ast.OptionalClause(self.clauses(bound, depth - 1, 3))
            case _:
                inner: set[str] = set()
                clauses = self.clauses(inner, depth - 1, 3)
                bound |= inner
                return ast.UnionClause(clauses)

    def field(self, bound: set[str]) -> ast.Field:
        """Write a field that can be compared."""
        known = [name for name in ELEMENTS if name in bound]
        pool = known if known and self.chance(97) else (*ELEMENTS, VALUES[0])
        variable = ast.Variable(self.draw(st.sampled_from(pool)))
        match self.one_of("field", "attributes", "attributes", "metadata"):
            case "field":
                return ast.Field(variable, (self.draw(st.sampled_from(FIELDS)),))
            case "attributes":
                key = self.draw(st.sampled_from((*KEYS, "name")))
                return ast.Field(variable, ("attributes", key))
            case _:
                return ast.Field(variable, ("metadata", self.draw(st.sampled_from(self.metadata))))

    def concept(self) -> ast.ConceptPattern:
        match self.one_of("type", "type", "type", "name", "name", "both", "id"):
            case "type":
                return ast.ConceptPattern(type=self.word(TYPES))
            case "name":
                return ast.ConceptPattern(name=self.word(NAMES))
            case "both":
                return ast.ConceptPattern(type=self.word(TYPES), name=self.word(NAMES))
            case _:
                return ast.ConceptPattern(id=self.word(("id-0", "id-1", "id-2")))

    def link(self, bound: set[str], depth: int) -> ast.LinkPattern:
        subject = self.end(bound, depth)
        predicate = self.predicate(bound)
        return ast.LinkPattern(subject, predicate, self.end(bound, depth))

    def end(self, bound: set[str], depth: int) -> ast.End:
        if depth and self.chance(12):
            return self.link(bound, depth - 1)
        if self.chance(12):
            return self.concept()
        if self.names_links and self.chance(4):
            return self.link_id()
        return self.variable(ELEMENTS, bound, 60)

    def link_id(self) -> ast.LinkId:
        """Write the id of a link, which is made when the graph is: a placeholder for it."""
        return ast.LinkId(ast.Parameter(self.draw(st.sampled_from(LINKS))))

    def predicate(self, bound: set[str]) -> ast.Path | ast.Variable:
        if self.chance(12):
            return self.variable(VALUES, bound, 30)
        count = 2 if self.chance(15) else 1
        return ast.Path(tuple(self.step() for _ in range(count)))

    def step(self) -> ast.Step:
        minimum, maximum = self.draw(st.sampled_from(BOUNDS)) if self.chance(20) else (1, 1)
        word = self.draw(st.sampled_from(PREDICATES))
        return ast.Step(text(word), minimum, maximum)

    def read(self, bound: set[str]) -> ast.ReadClause:
        section = self.draw(st.sampled_from(ast.Section))
        is_attribute = section is ast.Section.ATTRIBUTES
        key = self.draw(st.sampled_from(KEYS if is_attribute else self.metadata))
        if is_attribute and self.chance(25):
            key = self.draw(st.sampled_from(FIELDS))
        target: ast.Target
        if self.chance(10):
            target = self.link(bound, 0)
        elif self.chance(10):
            target = self.concept()
        elif self.names_links and self.chance(5):
            target = self.link_id()
        else:
            known = [name for name in ELEMENTS if name in bound]
            pool = known if known and self.chance(95) else ELEMENTS
            target = ast.Variable(self.draw(st.sampled_from(pool)))
        return ast.ReadClause(section, target, self.given(key), self.variable(VALUES, bound, 20))

    def operand(self, bound: set[str]) -> ast.Operand:
        if self.chance(30):
            return self.given(self.draw(values))
        return self.mentioned(bound)

    def mentioned(self, bound: set[str]) -> ast.Operand:
        if self.chance(30):
            return self.field(bound)
        known = [name for name in (*VALUES, *VALUES, *VALUES, *ELEMENTS) if name in bound]
        if known and self.chance(95):
            return ast.Variable(self.draw(st.sampled_from(known)))
        return ast.Variable(self.draw(st.sampled_from(VALUES)))

    def expression(self, bound: set[str], depth: int) -> ast.Expression:
        kinds = ["compare"] * 5 + ["text", "in", "null"]
        if depth:
            kinds += ["not", "and", "or"]
        match self.draw(st.sampled_from(kinds)):
            case "compare":
                operator = self.draw(st.sampled_from(ast.Comparison))
                left, right = self.mentioned(bound), self.operand(bound)
                if self.chance(20):
                    left, right = right, left
                return ast.Compare(operator, left, right)
            case "text":
                return self.text_test(bound)
            case "in":
                choices = self.draw(st.lists(values, max_size=4))
                return ast.TestIn(self.mentioned(bound), literal(choices))
            case "null":
                return ast.TestNull(self.mentioned(bound), self.chance(50))
            case "not":
                return ast.Not(self.expression(bound, depth - 1))
            case kind:
                operands = (self.expression(bound, depth - 1), self.expression(bound, depth - 1))
                return ast.And(operands) if kind == "and" else ast.Or(operands)

    def text_test(self, bound: set[str]) -> ast.TestText:
        function = self.draw(st.sampled_from(TEXT_TESTS))
        if function == "REGEX":
            part: ast.Operand = self.given(self.draw(st.sampled_from(PATTERNS)))
        else:
            part = self.given(self.draw(st.sampled_from(SCALARS)))
            if self.chance(30):
                part = self.mentioned(bound)
        return ast.TestText(function, self.mentioned(bound), part)

    def shown(self, known: list[str], bound: set[str]) -> ast.Variable | ast.Field:
        """Write what FIND shows or aggregates."""
        if self.chance(5):
            name = self.draw(st.sampled_from(known))
            return ast.Field(ast.Variable(name), (self.draw(st.sampled_from(ast.Section)).value,))
        if self.chance(35):
            return self.field(bound)
        return ast.Variable(self.draw(st.sampled_from(known)))

    def columns(self, bound: set[str], is_grouped: bool) -> tuple[Column, ...]:
        known = [name for name in (*ELEMENTS, *VALUES) if name in bound] or [ELEMENTS[0]]
        count = self.draw(st.integers(1, 3))
        plain = tuple(dict.fromkeys(self.shown(known, bound) for _ in range(count)))
        if not is_grouped:
            return plain
        aggregates = tuple(
            ast.Aggregate(
                self.draw(st.sampled_from(ast.Function)),
                self.shown(known, bound),
                self.chance(40),
                ast.Variable(f"n{place}") if place or self.chance(70) else None,
            )
            for place in range(self.draw(st.integers(1, 2)))
        )
        return (*plain[: self.draw(st.integers(0, 2))], *aggregates)

    def order_by(self, columns: tuple[Column, ...], bound: set[str]) -> tuple[ast.SortKey, ...]:
        keys: list[Column] = [ast.Variable(name) for name in sorted(bound)]
        keys += [self.field(bound) for _ in range(2)]
        if any(isinstance(one, ast.Aggregate) for one in columns):
            keys = [_sortable(one) for one in columns if _is_sortable(one)]
        if not keys or self.chance(50):
            return ()
        count = self.draw(st.integers(1, 2))
        chosen = [self.draw(st.sampled_from(keys)) for _ in range(count)]
        return tuple(ast.SortKey(key, self.chance(50)) for key in chosen)


def _aliases(query: ast.Find) -> set[str]:
    return {one.name for one in query.columns if isinstance(one, ast.Aggregate)}


def _is_sortable(column: Column) -> bool:
    if isinstance(column, ast.Aggregate):
        return column.function is not ast.Function.COLLECT
    return isinstance(column, ast.Variable) or len(column.path) == 2 or column.path[0] in FIELDS


def _sortable(column: Column) -> Column:
    """Return a key of ORDER BY that means the column: its alias, or itself written again."""
    if isinstance(column, ast.Aggregate) and column.alias is not None:
        return column.alias
    return column


@st.composite
def wheres(draw: st.DrawFn) -> tuple[ast.Clause, ...]:
    """Draw the clauses of a short WHERE without placeholders in it."""
    writer = _Writer(draw, gives=False)
    return writer.clauses(set(), 1, 2)


@st.composite
def questions(
    draw: st.DrawFn,
    depth: int,
    *,
    is_grouped: bool,
    metadata: tuple[str, ...] = KEYS,
    names_links: bool = False,
) -> Question:
    """Draw a FIND with everything it may have; blocks are nested to the depth."""
    writer = _Writer(draw, metadata=metadata, names_links=names_links)
    bound: set[str] = set()
    where = writer.clauses(bound, depth, 4)
    columns = writer.columns(bound, is_grouped)
    order_by = writer.order_by(columns, bound)
    limit = writer.given(draw(st.integers(0, 4))) if writer.chance(25) else None
    offset = writer.given(draw(st.integers(0, 3))) if writer.chance(15) else None
    return Question(ast.Find(columns, where, order_by, limit, offset), writer.parameters)


def shortened(query: ast.Find) -> ast.Find:
    """Return the query without its last clause and the columns only that one mentions.

    What has no clause to spare is returned as it is.
    """
    where = query.where[:-1]
    known = names(where)
    if not known:
        return query
    columns = tuple(one for one in query.columns if _shown(one) in known)
    has_keys = all(_shown(one.key) in {*known, *_aliases(query)} for one in query.order_by)
    if columns == query.columns and has_keys:
        return ast.Find(columns, where, query.order_by)
    return ast.Find(columns or (ast.Variable(known[0]),), where)


def _shown(column: Column) -> str:
    """Return the variable that a column shows or reads."""
    read = column.variable if isinstance(column, ast.Aggregate) else column
    return read.variable.name if isinstance(read, ast.Field) else read.name

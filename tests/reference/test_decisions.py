"""What the language decides beyond the conformance cases, said in small graphs.

The reference and the engine are both held to these, so that neither can drift with the other.
"""

from __future__ import annotations

import pytest
from tests.conformance.cases import comparable
from tests.reference.run import Reference

import recollect
from recollect.errors import RecollectError
from recollect.model import Rows

GRAPH = """
UPSERT {
  CONCEPT @b { {type: "T", name: "b"} SET ATTRIBUTES {n: 2, s: "x", mixed: "2"} }
  CONCEPT @a { {type: "T", name: "a"} SET ATTRIBUTES {n: 1, s: "x", mixed: 1} }
  CONCEPT @c { {type: "U", name: "c"} SET ATTRIBUTES {n: 1.0, mixed: true} }
  CONCEPT @d { {type: "U", name: "a"} SET ATTRIBUTES {n: null, mixed: [2.0]} }
  PROPOSITION @ab { (@a, "p", @b) SET ATTRIBUTES {w: 0.5} }
  PROPOSITION @bc { (@b, "p", @c) SET ATTRIBUTES {w: 0.5} }
  PROPOSITION @ad { (@a, "q", @d) }
  PROPOSITION @about { (@c, "says", @ab) }
}
"""

DECISIONS = [
    (
        "without ORDER BY, elements come by birth, in the order the text mentions them",
        'FIND(?n) WHERE { ?x {type: "T"} ATTR(?x, "name", ?n) }',
        [["b"], ["a"]],
    ),
    (
        "the variable mentioned first decides, though a later one is bound first",
        'FIND(?m, ?n) WHERE { FILTER(?y != ?x) ?x {type: "T"} ?y {type: "T"} '
        'ATTR(?y, "name", ?m) ATTR(?x, "name", ?n) }',
        [["b", "a"], ["a", "b"]],
    ),
    (
        "the branch before a UNION comes before it",
        'FIND(?n) WHERE { ?x {type: "U"} UNION { ?x {type: "T"} } ATTR(?x, "name", ?n) }',
        [["c"], ["a"], ["b"], ["a"]],
    ),
    (
        "equal values of two elements are two rows",
        'FIND(?w) WHERE { ?l (?a, "p", ?b) ATTR(?l, "w", ?w) }',
        [[0.5], [0.5]],
    ),
    (
        "one element reached twice is one row",
        'FIND(?n) WHERE { ?x {name: "a", type: "T"} (?x, ?p, ?y) ATTR(?x, "name", ?n) }',
        [["a"]],
    ),
    (
        "groups are of equal values: 1 is 1.0, and null is a value",
        'FIND(?n, COUNT(?x) AS ?k) WHERE { ?x {type: "T"} UNION { ?x {type: "U"} } '
        'ATTR(?x, "n", ?n) }',
        [[2, 1], [1, 2], [None, 1]],
    ),
    (
        "booleans sort before numbers, then strings, then arrays",
        'FIND(?m) WHERE { ?x {type: "T"} UNION { ?x {type: "U"} } ATTR(?x, "mixed", ?m) } '
        "ORDER BY ?m",
        [[True], [1], ["2"], [[2.0]]],
    ),
    (
        "nulls are last when descending, too",
        'FIND(?n) WHERE { ?x {name: "a"} UNION { ?x {name: "b"} } ATTR(?x, "n", ?n) } '
        "ORDER BY ?n DESC",
        [[2], [1], [None]],
    ),
    (
        "a row that stands for several solutions sits where the first of them would",
        'FIND(?x_name) WHERE { (?x, ?p, ?y) ATTR(?x, "name", ?x_name) ATTR(?y, "name", ?y_name) '
        "FILTER(?y_name != null) } ORDER BY ?y_name DESC",
        [["b"], ["a"]],
    ),
    (
        "a clause after a UNION binds what its branch has not mentioned",
        'FIND(?n, ?m) WHERE { ?x {type: "T", name: "b"} UNION { ?y {type: "U", name: "c"} } '
        '(?x, "p", ?y) ATTR(?x, "name", ?n) ATTR(?y, "name", ?m) }',
        [["b", "c"]],
    ),
    (
        "ATTR of a variable that only another branch binds is null",
        'FIND(?n, ?m) WHERE { ?x {name: "b"} UNION { ?y {name: "c"} } '
        'ATTR(?x, "name", ?n) ATTR(?y, "name", ?m) }',
        [["b", None], [None, "c"]],
    ),
    (
        "NOT never excludes a row of a branch that has no value where they meet",
        'FIND(?n) WHERE { ?x {type: "T"} (?x, "p", ?y) UNION { ?x {type: "T"} } '
        'NOT { (?x, "p", ?y) } ATTR(?x, "name", ?n) }',
        [["b"], ["a"]],
    ),
    (
        "OPTIONAL and UNION leave the same to a NOT",
        'FIND(?n) WHERE { ?x {type: "T"} OPTIONAL { (?x, "q", ?y) } '
        'NOT { (?x, "p", ?y) } ATTR(?x, "name", ?n) }',
        [["b"], ["a"]],
    ),
    (
        "NOT in a NOT sees that a branch has no value, too",
        'FIND(?n) WHERE { ?z {name: "nobody"} UNION { ?x {type: "T"} } '
        'NOT { ?x {type: "T"} NOT { (?x, "p", ?z) } } ATTR(?x, "name", ?n) }',
        [["b"], ["a"]],
    ),
    (
        "FILTER in a block sees that a branch has no value",
        'FIND(?n, ?m) WHERE { ?z {name: "c"} UNION { ?x {type: "T"} } '
        'OPTIONAL { (?x, "p", ?y) ATTR(?y, "name", ?m) ATTR(?z, "name", ?o) '
        'FILTER(?z == null && ?o == null) } ATTR(?x, "name", ?n) FILTER(?n != null) }',
        [["b", "c"], ["a", "b"]],
    ),
    (
        "a block binds what its branch has not mentioned",
        'FIND(?n, ?m) WHERE { ?y {name: "c"} UNION { ?x {type: "T", name: "b"} } '
        'OPTIONAL { (?x, "p", ?y) } ATTR(?x, "name", ?n) ATTR(?y, "name", ?m) '
        'FILTER(?n == "b" && ?m != null) }',
        [["b", "c"]],
    ),
    (
        "a UNION in an OPTIONAL is joined with the row around it",
        'FIND(?n, ?m) WHERE { ?x {type: "T"} ATTR(?x, "name", ?n) '
        'OPTIONAL { UNION { (?x, "q", ?y) ATTR(?y, "name", ?m) } } }',
        [["b", None], ["a", "a"]],
    ),
    (
        "NOT never excludes a row that is null where they meet",
        'FIND(?n) WHERE { ?x {type: "T"} ATTR(?x, "name", ?n) OPTIONAL { (?x, "q", ?y) } '
        'NOT { ?y {type: "U"} } }',
        [["b"]],
    ),
    (
        "NOT without a shared variable says nothing",
        'FIND(?n) WHERE { ?x {type: "T"} ATTR(?x, "name", ?n) NOT { ?z {type: "U"} } }',
        [["b"], ["a"]],
    ),
    (
        "null left by OPTIONAL matches no later pattern",
        'FIND(?n) WHERE { ?x {type: "T"} ATTR(?x, "name", ?n) OPTIONAL { (?x, "q", ?y) } '
        '?y {type: "U"} }',
        [["a"]],
    ),
    (
        "a value that two ATTR read must be equal, and null never is",
        'FIND(?m, ?n) WHERE { ?x {name: "a"} ?y {name: "c"} ATTR(?x, "n", ?v) ATTR(?y, "n", ?v) '
        'ATTR(?x, "type", ?m) ATTR(?y, "name", ?n) }',
        [["T", "c"]],
    ),
    (
        "a walk of length 0 joins every element with itself, links too",
        'FIND(COUNT(?x) AS ?n) WHERE { (?x, "p"{0}, ?y) }',
        [[8]],
    ),
    (
        "a walk is not one link: its variable is null",
        'FIND(?l, ?n) WHERE { ?l ({type: "T", name: "a"}, "p"{1,2}, ?y) ATTR(?y, "name", ?n) }',
        [[None, "b"], [None, "c"]],
    ),
    (
        "a variable in the place of the predicate binds its name, and joins",
        'FIND(?p, ?n) WHERE { ({type: "T", name: "a"}, ?p, ?y) ({type: "T", name: "b"}, ?p, ?z) '
        'ATTR(?z, "name", ?n) }',
        [["p", "c"]],
    ),
    (
        "a nested pattern stands for a link",
        'FIND(?n, ?m) WHERE { (?who, "says", (?x, "p", ?y)) ATTR(?who, "name", ?n) '
        'ATTR(?y, "name", ?m) }',
        [["c", "b"]],
    ),
    (
        "an element is equal to itself, and to no value",
        'FIND(?n) WHERE { ?x {type: "T"} ?y {name: "a"} ATTR(?x, "name", ?n) '
        'FILTER(?x == ?y && ?x != "a" && !(?x < 1) && ?x != null) }',
        [["a"]],
    ),
    (
        "aggregates pass over what they cannot use",
        "FIND(SUM(?m) AS ?s, AVG(?m) AS ?a, MIN(?m) AS ?low, MAX(?m) AS ?high, COUNT(?m) AS ?k) "
        'WHERE { ?x {type: "T"} UNION { ?x {type: "U"} } ATTR(?x, "mixed", ?m) }',
        [[1, 1.0, 1, "2", 4]],
    ),
    (
        "aggregates of nothing are one row",
        "FIND(COUNT(?x) AS ?k, SUM(?n) AS ?s, AVG(?n) AS ?a, MIN(?n) AS ?m, COLLECT(?n) AS ?c) "
        'WHERE { ?x {type: "nothing"} ATTR(?x, "n", ?n) }',
        [[0, 0, None, None, []]],
    ),
    (
        "COLLECT keeps the order of the rows and leaves null out",
        'FIND(?t, COLLECT(?n) AS ?c) WHERE { ?x {name: "a"} UNION { ?x {type: "T"} } '
        'ATTR(?x, "type", ?t) ATTR(?x, "n", ?n) }',
        [["T", [1, 2]], ["U", []]],
    ),
    (
        "COLLECT of distinct values has each where it comes first, as it is written there",
        'FIND(COLLECT(DISTINCT ?n) AS ?c) WHERE { ?x {type: "U"} UNION { ?x {type: "T"} } '
        'ATTR(?x, "n", ?n) }',
        [[[1.0, 2]]],
    ),
    (
        "groups are ordered by an aggregate, and ties by their first solution",
        'FIND(?n, COUNT(?x) AS ?k) WHERE { ?x {type: "T"} UNION { ?x {type: "U"} } '
        'ATTR(?x, "name", ?n) } ORDER BY ?k DESC LIMIT 2',
        [["a", 2], ["b", 1]],
    ),
    (
        "the fields of a link are its ends and its predicate",
        'FIND(?p) WHERE { ?l (?x, "q", ?y) ATTR(?x, "id", ?id) ATTR(?l, "subject", ?id) '
        'ATTR(?l, "predicate", ?p) }',
        [["q"]],
    ),
]

MISTAKES = [
    (
        "a variable is an element or a value",
        'FIND(?x) WHERE { ?x {type: "T"} ATTR(?x, "n", ?x) }',
        "KIP_1001",
    ),
    (
        "a variable of a NOT stays in it",
        'FIND(?y) WHERE { ?x {type: "T"} NOT { (?x, "p", ?y) } }',
        "KIP_3001",
    ),
    (
        "a UNION block does not see the variables around it",
        'FIND(?x) WHERE { ?x {type: "T"} UNION { ?y {type: "U"} FILTER(?x != ?y) } }',
        "KIP_3001",
    ),
    (
        "a grouped result is ordered by its columns only",
        'FIND(?n, COUNT(?x) AS ?k) WHERE { ?x {type: "T"} ATTR(?x, "name", ?n) } ORDER BY ?x',
        "KIP_3001",
    ),
    (
        "a pattern is RE2: nothing looks ahead",
        'FIND(?n) WHERE { ?x {type: "T"} ATTR(?x, "name", ?n) FILTER(REGEX(?n, "(?=a)")) }',
        "KIP_1001",
    ),
]


def sentences(decisions: list[tuple[str, str, object]]) -> list[object]:
    return [pytest.param(*rest, id=name) for name, *rest in decisions]


@pytest.mark.parametrize(("query", "rows"), sentences(DECISIONS))
def test_the_reference_keeps_a_decision(query: str, rows: list[list[object]]) -> None:
    reference = Reference()
    reference.run(GRAPH)
    (found,) = reference.run(query)
    assert comparable(found, is_ordered=True) == comparable(rows, is_ordered=True)


@pytest.mark.parametrize(("query", "code"), sentences(MISTAKES))
def test_the_reference_refuses_a_mistake(query: str, code: str) -> None:
    reference = Reference()
    reference.run(GRAPH)
    with pytest.raises(RecollectError) as caught:
        reference.run(query)
    assert caught.value.code.code == code


@pytest.mark.parametrize(("query", "rows"), sentences(DECISIONS))
def test_the_engine_keeps_a_decision(query: str, rows: list[list[object]]) -> None:
    with recollect.open(":memory:") as nexus:
        nexus.group("decoy").write(GRAPH)
        nexus.write(GRAPH)
        (found,) = nexus.read(query).results
        assert isinstance(found, Rows)
        assert comparable(found.rows, is_ordered=True) == comparable(rows, is_ordered=True)


@pytest.mark.parametrize(("query", "code"), sentences(MISTAKES))
def test_the_engine_refuses_a_mistake(query: str, code: str) -> None:
    with recollect.open(":memory:") as nexus:
        nexus.write(GRAPH)
        with pytest.raises(RecollectError) as caught:
            nexus.read(query)
        assert caught.value.code.code == code

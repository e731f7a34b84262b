"""An attribute that has the name of a field is stored, and told of."""

from __future__ import annotations

import pytest

import recollect

READ = 'FIND(?x.name, ?x.attributes.name) WHERE { ?x {type: "T"} }'


@pytest.mark.parametrize(
    "text",
    [
        'UPSERT { CONCEPT { {type: "T", name: "A"} SET ATTRIBUTES { name: "x" } } }',
        'UPDATE ?x SET ATTRIBUTES { name: "x" } WHERE { ?x {type: "T"} }',
    ],
)
def test_it_is_read_by_a_dot_and_noted(text: str):
    with recollect.open(":memory:") as nexus:
        nexus.write('UPSERT { CONCEPT { {type: "T", name: "A"} } }')
        (notice,) = nexus.write(text).notices
        assert notice.code == "hidden_attribute"
        assert notice.hint == "read it as ?x.attributes.name"
        assert nexus.read(READ).results[0].rows == [("A", "x")]


def test_an_attribute_of_a_link_is_hidden_by_nothing():
    with recollect.open(":memory:") as nexus:
        nexus.write(
            """UPSERT {
              CONCEPT ?a { {type: "T", name: "A"} SET PROPOSITIONS { ("p", ?a) } }
            }"""
        )
        text = 'UPDATE ?l SET ATTRIBUTES { name: "x" } WHERE { ?l (?a, "p", ?b) }'
        assert nexus.write(text).notices == ()

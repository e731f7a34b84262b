"""A type or predicate that is declared is known, whether anything bears it yet or not."""

from __future__ import annotations

import pytest

import recollect
from recollect import RecollectError
from recollect.model import Hits

DECLARED = """
UPSERT {
  CONCEPT ?t { {type: "$ConceptType", name: "Preference"} }
  CONCEPT ?l { {type: "$PropositionType", name: "prefers"} }
  CONCEPT ?p { {type: "Person", name: "Ada"} SET PROPOSITIONS { ("knows", {type: "Person", name: "Bob"}) } }
  CONCEPT ?b { {type: "Person", name: "Bob"} }
}
"""


@pytest.fixture
def nexus():
    with recollect.open(":memory:", group="mine") as nexus:
        nexus.write('UPSERT { CONCEPT ?b { {type: "Person", name: "Bob"} } }')
        nexus.write(DECLARED)
        yield nexus


@pytest.mark.parametrize(
    "text",
    [
        'FIND(?p) WHERE { ?p {type: "Preference"} }',
        'FIND(?p) WHERE { (?p, "prefers", ?q) }',
        'SEARCH CONCEPT "tea" WITH TYPE "Preference"',
        'SEARCH PROPOSITION "tea" WITH TYPE "prefers"',
    ],
)
def test_a_declared_name_without_an_instance_finds_nothing_and_warns_of_nothing(nexus, text):
    answer = nexus.read(text)
    (result,) = answer.results
    assert not (result.hits if isinstance(result, Hits) else result.rows)
    assert answer.notices == ()


def test_a_name_that_is_nearly_a_declared_one_is_told_that_one(nexus):
    (notice,) = nexus.read('FIND(?p) WHERE { ?p {type: "Preferences"} }').notices
    assert notice.hint == 'use "Preference"'
    assert notice.known[0] == "Preference"


def test_a_concept_of_a_declared_type_that_is_absent_is_not_called_another_type(nexus):
    with pytest.raises(RecollectError) as caught:
        nexus.write(
            'MERGE CONCEPT ?a INTO ?b WHERE { ?a {type: "Preference", name: "x"} '
            '?b {type: "Person", name: "Bob"} }'
        )
    assert caught.value.known == ()
    assert "Person" not in caught.value.hint

"""What words mean comes with the package, and finds what is told in other words."""

from __future__ import annotations

import numpy as np

import recollect
from recollect.kernel.recall.words import MeantWords
from recollect.kernel.search.tokens import tokens
from recollect.model import PutConcept


def near(one: str, other: str) -> float:
    left, right = (MeantWords().of_words(tokens(text)) for text in (one, other))
    assert left is not None
    assert right is not None
    return float(np.dot(left, right))


def test_words_that_mean_something_near_are_nearer() -> None:
    assert near("a physician", "the doctor") > near("a physician", "the guitar") + 0.2


def test_a_word_that_is_not_held_is_made_of_its_pieces() -> None:
    assert near("hydrologists", "hydrology") > 0.3


def test_a_text_without_known_words_means_nothing() -> None:
    assert MeantWords().of_words([]) is None


def test_what_is_told_in_other_words_stands_out() -> None:
    labels = ["The violinist rehearsed a sonata", "The mason repaired a wall", "Rain fell on Oslo"]
    with recollect.open(":memory:") as nexus:
        nexus.write([PutConcept("Note", f"n{at}", {"label": one}) for at, one in enumerate(labels)])
        answer = nexus.recall("Did the violinist practise?")
        assert answer.mode == "words and meaning"
        assert answer.memories[0].passage == labels[0]
        assert answer.memories[0].why["meaning"].points > 0

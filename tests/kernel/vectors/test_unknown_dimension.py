"""An embedder that does not know how many numbers it gives before it has given any."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import recollect
from recollect.embeddings import Embedder
from recollect.errors import EMBEDDER_UNAVAILABLE, RecollectError
from recollect.kernel import Nexus
from recollect.model import Hits, PutConcept


class Letters(Embedder):
    """Counts letters, and can be away."""

    def __init__(self, letters: str = "abc", *, is_away: bool = False) -> None:
        super().__init__("letters")
        self.letters = letters
        self.is_away = is_away
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> list[list[int]]:
        """Return how often each letter is in a text."""
        self.asked += 1
        if self.is_away:
            raise RecollectError(EMBEDDER_UNAVAILABLE, "the embedder is away")
        return [[text.count(letter) for letter in self.letters] for text in texts]


def hits(nexus: Nexus, text: str, mode: str) -> tuple[list[str], list[str]]:
    """Return the names of what is found, and what there is to know about the answer."""
    answer = nexus.search(text, mode=mode)
    (result,) = answer.results
    assert isinstance(result, Hits)
    return [one.element.name for one in result.hits], [one.code for one in answer.notices]


def code(nexus: Nexus, name: str) -> list[str]:
    return [one.code for one in nexus.write([PutConcept("Note", name)]).notices]


def test_the_first_write_of_a_memory_is_kept_when_the_embedder_is_away() -> None:
    embedder = Letters(is_away=True)
    with recollect.open(":memory:", embedder=embedder) as nexus:
        assert code(nexus, "aa") == ["not_embedded"]
        embedder.is_away = False
        assert nexus.vectors.reindex().embedded == 1
        assert hits(nexus, "a", "semantic")[0] == ["aa"]


def test_a_memory_that_was_embedded_goes_on_without_the_embedder(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder=Letters()) as nexus:
        assert code(nexus, "aa bb") == []
    with recollect.open(tmp_path / "m.db", embedder=Letters(is_away=True)) as nexus:
        assert code(nexus, "aa cc") == ["not_embedded"]
        found, notices = hits(nexus, "aa", "hybrid")
        assert sorted(found) == ["aa bb", "aa cc"]
        assert notices == ["answered_by_words"]
    with recollect.open(tmp_path / "m.db", embedder=Letters()) as nexus:
        assert nexus.vectors.reindex().embedded == 1
        assert hits(nexus, "cc", "semantic")[0] == ["aa cc"]


def test_a_model_of_the_same_name_that_gives_more_numbers_is_another_one(tmp_path: Path) -> None:
    with recollect.open(tmp_path / "m.db", embedder=Letters("abc")) as nexus:
        nexus.write([PutConcept("Note", "aa bb")])
    for use in (lambda nexus: hits(nexus, "aa", "semantic"), lambda nexus: code(nexus, "dd")):
        with recollect.open(tmp_path / "m.db", embedder=Letters("abcd")) as nexus:
            with pytest.raises(RecollectError) as caught:
                use(nexus)
            assert caught.value.code.code == "EMBEDDER_CHANGED"
            assert "with 3 numbers" in caught.value.message
            assert "with 4" in caught.value.message
    with recollect.open(tmp_path / "m.db", embedder=Letters("abcd")) as nexus:
        assert nexus.vectors.reindex().embedded == 1
        assert code(nexus, "dd") == []
        assert hits(nexus, "d", "semantic")[0] == ["dd"]


def test_no_model_is_asked_for_what_needs_no_vector() -> None:
    embedder = Letters()
    with recollect.open(":memory:", embedder=embedder) as nexus:
        nexus.write([PutConcept("Note", "aa")])
        before = embedder.asked
        nexus.write([PutConcept("Note", "aa", {"color": "red"})])
        nexus.search("aa")
        assert embedder.asked == before == 1

"""Claims, their lines and what asks for attention, as of another moment."""

from __future__ import annotations

import pytest

import recollect
from recollect.errors import RecollectError
from recollect.faces.claims import Actor, AttentionQueue, Claim, EvidenceRef, Writer, one_claim
from recollect.faces.claims.records import Filters, counted, listed, recalled
from recollect.faces.claims.viewing import viewed
from recollect.kernel import Nexus
from recollect.model import AsOf

ALPHA = Actor("agent", "alpha", run_id="run-1", show_id="show-1")
BETA = Actor("agent", "beta", show_id="show-2")
REPORT = EvidenceRef("artifact", artifact_id="report")
WRITTEN, VERIFIED = AsOf(transaction=2), AsOf(transaction=3)


@pytest.fixture
def nexus():
    """A claim that is written, verified, disputed and superseded in another show, with a decoy."""
    with recollect.open(":memory:") as nexus:
        decoy = Claim("a decoy", [REPORT], id="decoy", tags=["a"])
        Writer(nexus.group("decoy")).write([decoy], ALPHA)
        first = Claim("it is green", [REPORT], id="first", created_at=1.0, tags=["a"], project="p")
        other = Claim("it is blue", [EvidenceRef("file", path="x")], id="other", created_at=2.0)
        writer = Writer(nexus)
        writer.write([first], ALPHA)
        writer.write([other], BETA)
        writer.transition("first", "verified", [], None, Actor("user", "ann"))
        against = EvidenceRef("message", detail="no")
        writer.transition("first", "disputed", [against], "it is not", BETA)
        newer = Claim("it is red", [REPORT], id="newer", created_at=3.0, supersedes="first")
        writer.write([newer], BETA)
        writer.supersede("first", "newer", BETA)
        yield nexus


def ids(nexus: Nexus, as_of: AsOf, **which: object) -> list[str]:
    filters = Filters(**which)  # type: ignore[arg-type]
    found = [one.id for one in listed(nexus, filters, 10, as_of=as_of)]
    assert counted(nexus, filters, as_of) == len(found)
    return found


def test_a_lens_shows_the_claims_of_then_the_newest_first(nexus: Nexus) -> None:
    assert ids(nexus, AsOf(transaction=0)) == []
    assert ids(nexus, AsOf(transaction=1)) == ["first"]
    assert ids(nexus, WRITTEN) == ["other", "first"]
    assert ids(nexus, AsOf(transaction=99)) == ["newer", "other", "first"]


@pytest.mark.parametrize(
    "which",
    [{"run": "run-1"}, {"artifact": "report"}, {"tag": "a"}, {"project": "p"}, {"show": "show-1"}],
)
def test_every_filter_holds_for_the_past(nexus: Nexus, which: dict[str, str]) -> None:
    assert ids(nexus, WRITTEN, **which) == ["first"]


def test_a_show_has_what_it_superseded_once_it_has(nexus: Nexus) -> None:
    assert ids(nexus, WRITTEN, show="show-2") == ["other"]
    assert ids(nexus, AsOf(transaction=99), show="show-2") == ["newer", "other", "first"]


def test_a_status_is_that_of_then(nexus: Nexus) -> None:
    assert ids(nexus, VERIFIED, status=["verified"]) == ["first"]
    assert ids(nexus, WRITTEN, status=["verified"]) == []
    assert ids(nexus, WRITTEN, status=[]) == []


def test_pages_of_the_past_follow_each_other(nexus: Nexus) -> None:
    then = AsOf(transaction=99)
    (first,) = listed(nexus, Filters(), 1, as_of=then)
    rest = listed(nexus, Filters(), 5, first.id, then)
    assert [first.id, *(one.id for one in rest)] == ["newer", "other", "first"]
    with pytest.raises(RecollectError, match='no claim has the id "newer"'):
        listed(nexus, Filters(), 5, "newer", WRITTEN)


def test_a_line_tells_what_was_known_then(nexus: Nexus) -> None:
    def line(as_of: AsOf | None) -> str:
        claim = one_claim(nexus, "first", as_of)
        assert claim is not None
        return viewed(nexus, claim, as_of)["line"]

    assert line(WRITTEN) == "observed · confidence 1 · from artifact"
    assert line(VERIFIED).startswith("verified · by user · ")
    assert line(AsOf(transaction=4)) == "disputed · 1 conflicting evidence ref"
    assert line(None) == "superseded · by newer"
    at = nexus.changes(2, 1)[0].transaction.at
    assert line(AsOf(known=at)) == line(VERIFIED)
    assert one_claim(nexus, "first", AsOf(transaction=0)) is None


def test_the_queue_is_that_of_then(nexus: Nexus) -> None:
    queue = AttentionQueue(nexus)

    def asking(number: int) -> list[str]:
        return [one.entity_id for one in queue.items(as_of=AsOf(transaction=number))]

    assert asking(0) == asking(3) == []
    assert asking(4) == ["first"]


def test_what_was_put_aside_is_back_before_that(nexus: Nexus) -> None:
    queue = AttentionQueue(nexus)
    Writer(nexus).transition("newer", "verified", [], None, Actor("user", "ann"))
    Writer(nexus).transition("newer", "disputed", [REPORT], "no", BETA)
    then = AsOf(transaction=nexus.stats().transactions)
    (item,) = (one for one in queue.items() if one.entity_id == "newer")
    queue.dismiss(item.fingerprint, Actor("user", "ann"))
    assert "newer" not in [one.entity_id for one in queue.items()]
    assert "newer" in [one.entity_id for one in queue.items(as_of=then)]


def test_a_question_is_about_the_claims_of_a_tag_alone(nexus: Nexus) -> None:
    def found(as_of: AsOf | None, **which: str) -> list[str]:
        return [one.id for one, _ in recalled(nexus, "it is", Filters(**which), 10, as_of)]

    assert {"first", "other", "newer"} <= {*found(None)}
    assert found(None, tag="a") == found(WRITTEN, tag="a") == ["first"]
    assert found(WRITTEN, artifact="report") == ["first"]
    assert found(AsOf(transaction=0), tag="a") == []

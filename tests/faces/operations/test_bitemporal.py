"""Random histories of facts: as of any point of both clocks the service answers as the oracle."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, note, settings, strategies as st
from tests.faces.operations.calls import told
from tests.faces.operations.conftest import furnish
from tests.faces.operations.oracle import EVER, NEVER, Oracle, Told

import recollect
from recollect.faces.operations import Operations, Policy
from recollect.kernel import Nexus, parse_instant
from recollect.model import AsOf, Instant, Rows, instant_text

EXAMPLES = settings.default.max_examples if settings.default else 100
FUNCTIONAL = frozenset({"LEADS"})
DAY = 86_400_000
FIRST = 20_000 * DAY  # of the machine's clock; facts speak of the days around it

days = st.integers(-3, 6).map(lambda day: FIRST + day * DAY)
spans = st.one_of(
    st.tuples(st.none(), st.none()),
    st.tuples(days, st.none()),
    st.tuples(st.none(), days),
    st.tuples(days, days).filter(lambda span: span[0] < span[1]),
)
EPISODES = {f"e{day}": FIRST + day * DAY for day in (-2, 0, 3)}


@st.composite
def facts(draw: st.DrawFn) -> Told:
    valid_at, invalid_at = draw(spans)
    source = draw(st.sampled_from([None, *EPISODES]))
    return Told(
        uuid="",
        subject="bob",
        relation=draw(st.sampled_from(["WORKS_AT", "LEADS"])),
        object=draw(st.sampled_from(["acme", "globex"])),
        text=draw(st.sampled_from(["one", "two", "three"])),
        valid_at=valid_at,
        invalid_at=invalid_at,
        observed_at=None if source is None else EPISODES[source],
        source=source,
    )


calls = st.lists(st.lists(facts(), min_size=1, max_size=3), min_size=1, max_size=6)
SEARCHED = "one two three"
LIVE = """
FIND(?uuid) WHERE { ?fact (?bob, ?relation, ?object) ATTR(?fact, "fact", ?text)
  ATTR(?fact, "id", ?uuid) ATTR(?bob, "id", ?subject) FILTER(?subject == "bob" && ?text != "") }
"""


class Ticking:
    """A clock that stands still until it is set."""

    def __init__(self) -> None:
        self.at = FIRST - 10 * DAY

    def __call__(self) -> Instant:
        return Instant(self.at)


def item(fact: Told) -> dict[str, Any]:
    times = {"valid_at": fact.valid_at, "invalid_at": fact.invalid_at}
    return {
        "uuid": fact.uuid,
        "name": fact.relation,
        "fact": fact.text,
        "source_node_uuid": fact.subject,
        "target_node_uuid": fact.object,
        "source_episode_uuid": fact.source,
    } | {key: None if at is None else instant_text(Instant(at)) for key, at in times.items()}


def seen_by_kip(nexus: Nexus, valid: int, known: int) -> set[str]:
    as_of = AsOf(valid=Instant(valid), known=Instant(known))
    (rows,) = nexus.group("g").read(LIVE, as_of=as_of).results
    assert isinstance(rows, Rows)
    return {str(uuid) for (uuid,) in rows.rows}


def found(service: Operations, **more: Any) -> set[str]:
    asked: dict[str, Any] = {"group_ids": ["g"], "query": SEARCHED, "max_facts": 100} | more
    facts = told(service.search_facts(**asked))["facts"]
    return {fact["uuid"] for fact in facts if fact["source_node_uuid"] == "bob"}


@settings(max_examples=EXAMPLES)
@given(calls)
def test_every_point_of_both_clocks_is_as_the_oracle_says(story: list[list[Told]]) -> None:
    clock = Ticking()
    with recollect.open(":memory:", clock=clock) as nexus:
        service = Operations(nexus, policy=Policy(functional=FUNCTIONAL))
        for group in ("decoy", "g"):
            furnish(service, group)
        for uuid, at in EPISODES.items():
            one = {
                "uuid": uuid,
                "source": "text",
                "body": "b",
                "reference_time": instant_text(Instant(at)),
            }
            told(service.add_episodes(group_id="g", items=[one]))  # type: ignore[list-item]
        told(service.delete_entity_edge(uuid="f2", group_id="g"))  # the only other fact of bob
        oracle = Oracle(FUNCTIONAL)
        moments = []
        for place, batch in enumerate(story):
            clock.at = now = FIRST + place * DAY
            named = [
                replace(one, uuid=f"{(2 * at + place) % 3}-{place}") for at, one in enumerate(batch)
            ]
            note(f"at {place}: {named}")
            answer = told(service.add_facts(group_id="g", facts=[item(one) for one in named]))  # type: ignore[misc]
            assert [one["uuid"] for one in answer["facts"]] == oracle.tell(now, named)
            moments.append(now)
        for known in moments:
            for valid in (FIRST - 5 * DAY, *moments, FIRST + 9 * DAY):
                expected = oracle.visible(valid, known)
                assert seen_by_kip(nexus, valid, known) == expected, (valid, known)
                times = {
                    "valid_as_of": instant_text(Instant(valid)),
                    "known_as_of": instant_text(Instant(known)),
                }
                assert found(service, **times) == expected, (valid, known)
        assert found(service) == oracle.visible(moments[-1], moments[-1])
        for one in oracle.held:
            edge = told(service.get_entity_edge(uuid=one.told.uuid, group_id="g"))
            times = [edge[key] for key in ("valid_at", "invalid_at", "created_at", "expired_at")]
            read = [None if time is None else parse_instant(time) for time in times]
            bounds = (one.valid_at, one.invalid_at)
            ends = [None if at in (EVER, NEVER) else at for at in bounds]
            assert read == [*ends, one.created_at, one.expired_at], one
            assert edge["source_episode_uuids"] == one.sources
        assert nexus.group("g").verify().is_whole
        assert nexus.doctor().is_well

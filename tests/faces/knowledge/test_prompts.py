"""From what is found to a prompt: provider, formatter, templates and agents."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.faces.knowledge.conftest import QUESTION, TRACE, piece

from recollect.errors import RecollectError
from recollect.faces.knowledge import (
    EntityMetadata,
    FeedConflictResolution,
    GraphEdge,
    GraphNode,
    GraphServiceEntityGraphStore,
    KeyValueMetadataStore,
    KnowledgeBase,
    KnowledgeDataLoader,
    KnowledgeFormatter,
    KnowledgePiece,
    KnowledgeProvider,
    MemoryGraphService,
    MemoryKeyValueService,
    MemoryRetrievalService,
    PromptBasedAgent,
    RetrievalKnowledgePieceStore,
    RetrievalResult,
    Template,
    merge_into_feed,
)

HOSTILE = "{{ 7*7 }} {text} {0.__class__} {% raw %} <b>&amp;</b>"


def code_of(call, *args, **given) -> str:
    with pytest.raises(RecollectError) as caught:
        call(*args, **given)
    return caught.value.code.code


@pytest.fixture
def loaded(kb: KnowledgeBase) -> KnowledgeBase:
    KnowledgeDataLoader().load(kb, TRACE)
    return kb


def test_the_trace_gives_the_feed_of_the_specification(loaded: KnowledgeBase) -> None:
    assert KnowledgeProvider(loaded)(QUESTION) == {
        "user_profile": "specialization: turbomachinery\nteam: aero",
        "instructions": "[procedure] Initialize transient LES from converged RANS"
        " -- cuts spin-up by ~40%",
    }


def test_unknown_info_types_need_no_code(loaded: KnowledgeBase) -> None:
    loaded.add_piece(piece("LES of jets", info_type="house_rules"))
    assert KnowledgeProvider(loaded)("LES jets")["house_rules"] == "[fact] LES of jets"


def test_edges_without_a_piece_go_to_the_profile_or_the_context(loaded: KnowledgeBase) -> None:
    loaded.graph_store.add_node(GraphNode("tool", "tool"))
    loaded.graph_store.add_relation(GraphEdge("user:alice", "technique:les", "KNOWS"))
    loaded.graph_store.add_relation(GraphEdge("technique:les", "tool", "NEEDS"))
    loaded.graph_traversal_depth = 2
    found = KnowledgeProvider(loaded)("")
    assert found["user_profile"].endswith("team: aero\nKNOWS → Technique:les (LES)")
    assert found["context"] == "NEEDS → tool"


def test_global_properties_fill_what_the_entity_lacks(loaded: KnowledgeBase) -> None:
    shared = EntityMetadata("global", "site", {"team": "all", "organization": "NASA", "n": [1]})
    loaded.metadata_store.save_metadata(shared)
    told = KnowledgeProvider(loaded, metadata_info_type="who")(QUESTION)["who"]
    assert told == "n: [1]\norganization: NASA\nspecialization: turbomachinery\nteam: aero"


def test_a_provider_may_have_an_entity_of_its_own(loaded: KnowledgeBase) -> None:
    loaded.active_entity_id = None
    assert KnowledgeProvider(loaded)(QUESTION) == {}
    assert "user_profile" in KnowledgeProvider(loaded, entity_id="user:alice")(QUESTION)


@pytest.mark.parametrize(
    ("formatter", "told"),
    [
        (lambda metadata, pieces, edges: f"{metadata} {len(pieces)} {len(edges)}", "None 1 1"),
        (Template("{% for p in pieces %}{{ p.piece_id }}{% endfor %}", "jinja2"), "les-rans-init"),
        (Template("{{#each pieces}}{{piece_id}}{{/each}}", "handlebars"), "les-rans-init"),
        ("{info_type}: {text}", "instructions: [procedure] Initialize"),
    ],
)
def test_a_group_is_written_by_its_formatter(loaded, formatter: Any, told: str) -> None:
    assert KnowledgeProvider(loaded, {"instructions": formatter})(QUESTION)[
        "instructions"
    ].startswith(told)
    assert KnowledgeProvider(loaded, None, formatter)(QUESTION)["instructions"].startswith(told)


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.j2", "{{ text }}!"), ("a.hbs", "{{text}}!"), ("a.txt", "{text}!")],
)
def test_a_path_is_read_as_its_suffix_says(loaded, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    told = KnowledgeProvider(loaded, {"instructions": tmp_path / name})(QUESTION)
    assert told["instructions"].startswith("[procedure]")
    assert told["instructions"].endswith("~40%!")


@pytest.mark.parametrize("formatter", [5, Path("/nowhere/x.j2"), ["a"]])
def test_what_is_no_formatter_is_refused(loaded, formatter: Any) -> None:
    assert code_of(KnowledgeProvider, loaded, {"a": formatter}) in (
        "INVALID_ARGUMENT",
        "NOT_FOUND",
    )
    assert code_of(Template, "x", "mustache") == "INVALID_ARGUMENT"


@pytest.mark.parametrize("kind", ["jinja2", "handlebars", "format"])
def test_what_is_filled_in_is_data(kind: Any) -> None:
    text = {"jinja2": "{{ text }}", "handlebars": "{{text}}", "format": "{text}"}[kind]
    assert Template(text, kind).filled({"text": HOSTILE}) == HOSTILE


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{text.__class__}", "format"),
        ("{text[0]}", "format"),
        ("{nothing}", "format"),
        ("{", "format"),
        ("{{ ''.__class__.__mro__ }}", "jinja2"),
        ("{% include 'x' %}", "jinja2"),
        ("{% if %}", "jinja2"),
        ("{{#each}", "handlebars"),
    ],
)
def test_a_template_reaches_values_alone(text: str, kind: Any) -> None:
    assert code_of(Template(text, kind).filled, {"text": "x"}) == "INVALID_ARGUMENT"


def test_handlebars_escapes_nothing_and_asks_no_attribute() -> None:
    values = {"text": "<b>&'", "metadata": {"a": ["'"], "items": "own"}, "n": 5, "pieces": [{}]}
    for text, told in (
        ("{{text}}{{{text}}}", "<b>&'" * 2),
        ("{{lookup metadata 'a'}}{{metadata.a.[0]}}", "[\"'\"]'"),
        ("{{metadata.items}}{{n}}{{pieces.length}}", "own51"),
        ("{{metadata.keys}}{{text.upper}}{{n.real}}{{#each pieces}}{{get}}{{/each}}", ""),
        ("{{text.__class__}}{{metadata.__class__.__mro__}}{{n.__class__}}{{__class__}}", ""),
    ):
        assert Template(text, "handlebars").filled(values) == told


def test_threads_make_and_fill_templates() -> None:
    def work(at: int) -> str:
        return Template(f"{at}: {{{{#each pieces}}}}{{{{x}}}}{{{{/each}}}}", "handlebars").filled(
            {"pieces": [{"x": at}] * 3}
        )

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(24))) == [f"{at}: {str(at) * 3}" for at in range(24)]


@pytest.mark.parametrize("kind", ["jinja2", "handlebars"])
def test_a_missing_variable_is_empty(kind: Any) -> None:
    assert Template("a{{ nothing }}b", kind).filled({}) == "ab"


RESULT = RetrievalResult(
    EntityMetadata("user:alice", "user", {"team": "aero", "specialization": "turbomachinery"}),
    EntityMetadata("global", "site", {"organization": "NASA"}),
    [
        (
            piece("Smagorinsky constant of 0.1 works", "b", tags=["les", "smagorinsky"]),
            0.5,
        ),
        (
            piece("Initialize LES", "a", knowledge_type="procedure", tags=["les", "rans"]),
            0.854,
        ),
    ],
    [
        {
            "relation_type": "USES",
            "source_node_id": "user:alice",
            "target_node_id": "technique:dynamic-smagorinsky",
            "target_label": "DS",
            "target_type": "technique",
            "depth": 1,
            "score": 1.0,
            "piece": piece("15% better spectral agreement on JN-042", "c"),
        },
        {
            "relation_type": "SPECIALIZES_IN",
            "source_node_id": "user:alice",
            "target_node_id": "technique:les",
            "target_label": "LES simulation expert",
            "target_type": "technique",
            "depth": 1,
            "score": 1.0,
            "piece": None,
        },
    ],
)
LAYOUT = """\
[Metadata]
specialization: turbomachinery
team: aero

[Global Metadata]
organization: NASA

[Knowledge]
[procedure] Initialize LES
  Tags: les, rans
---
[fact] Smagorinsky constant of 0.1 works
  Tags: les, smagorinsky

[Relationships]
SPECIALIZES_IN → Technique:les (LES simulation expert)
USES → Technique:dynamic-smagorinsky (15% better spectral agreement on JN-042)"""


def test_the_layout_is_that_of_the_specification_to_the_character() -> None:
    assert KnowledgeFormatter().format(RESULT) == LAYOUT


def test_shuffled_results_give_one_text() -> None:
    chance = random.Random(7)
    for _ in range(20):
        pieces, edges = list(RESULT.pieces), list(RESULT.graph_context)
        chance.shuffle(pieces)
        chance.shuffle(edges)
        shuffled = RetrievalResult(RESULT.metadata, RESULT.global_metadata, pieces, edges)
        assert KnowledgeFormatter().format(shuffled) == LAYOUT


def test_the_four_settings_of_the_layout() -> None:
    formatter = KnowledgeFormatter("\n", "\n", include_tags=False, include_scores=True)
    lines = formatter.format(RESULT).splitlines()
    assert lines[6] == "[procedure] Initialize LES (score: 0.85)"
    assert not any("Tags" in one or one == "---" for one in lines)


def test_nothing_found_is_an_empty_text(kb: KnowledgeBase) -> None:
    assert kb("anything") == ""


def test_what_a_piece_is_does_not_say_where_it_goes(kb: KnowledgeBase) -> None:
    for info_type in ("instructions", "context"):
        kb.add_piece(KnowledgePiece("Mesh first.", info_type, "procedure", info_type))
    assert KnowledgeProvider(kb)("mesh") == dict.fromkeys(
        ("context", "instructions"), "[procedure] Mesh first."
    )


def test_every_source_of_a_prompt_has_its_placeholder() -> None:
    names = ("user_profile", "context", "instructions", "skills", "action_result")
    more = ("attachments", "action_memory", "user_input", "other")
    template = "|".join(f"{{{{ {one} }}}}" for one in (*names, *more))
    agent = PromptBasedAgent(str, template, user_profile="profile", context=str.upper)
    agent.knowledge_provider = lambda asked: {"instructions": f"for {asked}", "skills": "skill"}
    given = {"action_results": "result", "attachments": "attached", "action_memory": "memory"}
    assert agent("first\nsecond", {"other": 1}, **given) == (
        "profile|FIRST\nSECOND|for first\nsecond|skill|result|attached|memory|first\nsecond|1"
    )


def test_an_agent_has_knowledge_while_its_base_is_open() -> None:
    stores = (
        KeyValueMetadataStore(MemoryKeyValueService()),
        RetrievalKnowledgePieceStore(MemoryRetrievalService()),
        GraphServiceEntityGraphStore(MemoryGraphService()),
    )
    agent = PromptBasedAgent(str)
    with KnowledgeBase(*stores, active_entity_id="user:alice") as kb:
        KnowledgeDataLoader().load(kb, TRACE)
        agent.knowledge_provider = KnowledgeProvider(kb)
        assert "[procedure] Initialize transient LES" in agent("Set up LES for jet noise")
    for read in (stores[0].list_entities, stores[1].list_all, lambda: stores[2].get_node("a")):
        assert code_of(read) == "STORE_CLOSED"
    assert code_of(agent, "Set up LES for jet noise") == "STORE_CLOSED"


@pytest.mark.parametrize(
    ("resolution", "told"),
    [("feed_only", "known"), ("attribute_only", "own"), ("merge", "own\nknown")],
)
def test_the_strategies_of_conflict(resolution: str, told: str) -> None:
    feed = {"context": "own", "skills": ""}
    merged = merge_into_feed(
        feed, {"context": "known", "skills": "s", "new": "n"}, FeedConflictResolution(resolution)
    )
    assert merged is feed
    assert feed == {"context": told, "skills": "s", "new": "n"}


def test_an_agent_has_its_knowledge_in_its_prompt(loaded: KnowledgeBase) -> None:
    template = "{{ user_profile }}\n{{ instructions }}\n{{ nothing }}\n{{ user_input }}"
    agent = PromptBasedAgent(
        lambda _: "done", template, knowledge_provider=KnowledgeProvider(loaded)
    )
    assert agent(QUESTION) == "done"
    assert agent.last_prompt == (
        "specialization: turbomachinery\nteam: aero\n[procedure] Initialize transient LES from "
        f"converged RANS -- cuts spin-up by ~40%\n\n{QUESTION}"
    )


def test_the_sections_of_the_default_prompt_have_an_order() -> None:
    agent = PromptBasedAgent(
        str.upper,
        knowledge_provider={"zoo": "z", "skills": "s", "instructions": "i", "context": "c"},
        user_profile="u",
    )
    assert agent("q", action_results="r", attachments="a", action_memory="m") == (
        "U\n\nI\n\nC\n\nS\n\nZ\n\nM\n\nA\n\nUSER REQUEST: Q\n\nR"
    )


def test_a_profile_may_be_asked_for_so_a_base_is_one(loaded: KnowledgeBase) -> None:
    agent = PromptBasedAgent(str, "{{ user_profile }}", user_profile=loaded)
    assert agent(QUESTION).startswith("[Metadata]\nspecialization")
    assert agent(QUESTION, {"user_profile": "another"}) == "another"


def test_a_provider_that_fails_raises() -> None:
    def broken(_: str) -> dict[str, str]:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        PromptBasedAgent(str, knowledge_provider=broken)("q")


@pytest.mark.parametrize("provider", [5, lambda _: "text", lambda _: {"a": 1}])
def test_what_gives_no_mapping_of_texts_is_refused(provider: Any) -> None:
    assert code_of(PromptBasedAgent(str, knowledge_provider=provider), "q") == "INVALID_ARGUMENT"


@pytest.mark.parametrize(
    "ask",
    [
        lambda _: KnowledgeProvider("kb"),
        lambda kb: KnowledgeProvider(kb, [1]),
        lambda kb: KnowledgeProvider(kb)(None),
        lambda kb: kb(None),
        lambda kb: kb.bulk_load(None),
        lambda kb: kb.retrieve(None),
        lambda _: KnowledgeBase(nexus="x"),
        lambda _: KnowledgeFormatter(section_delimiter=3),
        lambda _: KnowledgeFormatter().format(None),
        lambda _: merge_into_feed({"a": "b"}, {"a": "c"}, "nope"),
        lambda _: merge_into_feed({"a": "b"}, None),
        lambda _: PromptBasedAgent(None),
        lambda _: PromptBasedAgent(str, feed_conflict_resolution="nope"),
        lambda _: PromptBasedAgent(str)("x", "y"),
        lambda _: PromptBasedAgent(str)(None),
        lambda _: Template("{text:>999999999}").filled({"text": "x"}),
        lambda _: Template("{text:{width}}").filled({"text": "x", "width": 999999999}),
    ],
)
def test_another_kind_of_argument_is_refused(loaded: KnowledgeBase, ask: Any) -> None:
    with pytest.raises(RecollectError) as caught:
        ask(loaded)
    assert caught.value.code.code == "INVALID_ARGUMENT"


def test_knowledge_in_a_prompt_is_text(loaded: KnowledgeBase) -> None:
    loaded.add_piece(piece(f"LES {HOSTILE}", "hostile"))
    agent = PromptBasedAgent(
        str, "{{ context }}", knowledge_provider=KnowledgeProvider(loaded, {"context": "{text}"})
    )
    assert HOSTILE in agent("LES")

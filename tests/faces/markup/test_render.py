"""Views: all, a space, a branch; what a budget shows, and what stands for the rest."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.faces.markup.support import code, fault

import recollect
from recollect.faces.markup import Markup, Rendered, parse
from recollect.faces.markup.graph import Graph
from recollect.faces.markup.rendering import Rendering

LONG = "\n".join(f"line {number} of what lions do" for number in range(20))


def test_a_space_and_a_branch_are_shown_by_their_ids(zoo: Markup) -> None:
    assert zoo.render("kinds").text == (
        "---\n- ONTOLOGY SPACE\n  ID: kinds\n  Label: Kinds\n  - ID: 7\n    Label: Mammal\n"
    )
    assert zoo.render("2").text == (
        "---\n- BRANCH ID: 2\n  Label: Lion\n  Content: Roars.\n  - ID: 3\n    Label: Mane\n"
    )


def test_everything_that_is_shown_may_be_changed(zoo: Markup) -> None:
    assert zoo.render("2").shown == {"2", "3"}
    assert zoo.render().shown == {"zoo", "colors", "kinds", *"1234567"}


def test_a_branch_that_is_an_extension_keeps_its_word(zoo: Markup) -> None:
    zoo.apply("- ID: 2\n  - NOTE ID: new-1 [created]\n    Label: N\n")
    assert zoo.render("8").text == "---\n- NOTE ID: 8\n  Label: N\n"


def test_a_further_appearance_is_a_bare_reference(zoo: Markup) -> None:
    zoo.apply("- ID: 5\n  - ID: 2 [created]\n")
    text = zoo.render("zoo").text
    assert text.count("- ID: 2\n") == 2
    assert text.count("Label: Lion\n") == text.count("- ID: 3\n") == 1


def test_depth_counts_levels_below_the_root_and_tells_of_the_rest(zoo: Markup) -> None:
    shown = zoo.render("1", depth=1)
    assert "      # 1 more node\n" not in shown.text
    assert "    # 1 more node\n" in shown.text
    assert shown.omitted == 1
    assert (
        zoo.render("1", depth=0).text == "---\n- BRANCH ID: 1\n  Label: Animals\n  # 2 more nodes\n"
    )


def test_all_of_a_deleted_subtree_is_shown_with_what_was_deleted(zoo: Markup) -> None:
    zoo.apply("- ID: 2 [deleted]\n")
    assert zoo.render("1", show_deleted=True).text == (
        "---\n- BRANCH ID: 1\n  Label: Animals\n"
        "  - ID: 2 [deleted]\n    Label: Lion\n    Content: Roars.\n"
        "    - ID: 3 [deleted]\n      Label: Mane\n"
        "  - ID: 4\n    Label: Zebra\n"
    )
    zoo.apply("- ID: 1 [deleted]\n")
    shown = zoo.render(show_deleted=True).text
    assert [shown.count(f"- ID: {one} [deleted]") for one in "1234"] == [1, 1, 1, 1]
    assert "[deleted]" not in zoo.render().text


def test_a_deleted_place_of_a_node_that_lives_elsewhere_is_marked(zoo: Markup) -> None:
    zoo.apply("- ATTRIBUTE SPACE\n  ID: colors\n  - ID: 6\n    - ID: 2 [created]\n")
    zoo.apply("- ATTRIBUTE SPACE\n  ID: colors\n  - ID: 6\n    - ID: 2 [deleted]\n")
    assert "    - ID: 2 [deleted]\n" in zoo.render("colors", show_deleted=True).text
    assert "- ID: 2 [deleted]" in zoo.render(show_deleted=True).text.split("colors")[1]


@pytest.mark.parametrize("as_of", [1, "2020-01-01T00:00:00Z"])
def test_a_moment_that_is_none_is_refused(zoo: Markup, as_of: Any) -> None:
    for read in (zoo.render, zoo.spaces, partial(zoo.places, "2")):
        error = fault(partial(read, as_of=as_of))
        assert (error.code.code, error.hint[:11]) == ("INVALID_ARGUMENT", "pass as_of=")


def test_deleted_places_are_shown_bare_where_they_are_asked_for(zoo: Markup) -> None:
    zoo.apply("- ID: 1\n  - ID: 2 [deleted]\n")
    assert "deleted" not in zoo.render().text
    shown = zoo.render("1", show_deleted=True)
    assert (
        "  - ID: 2 [deleted]\n    Label: Lion\n    Content: Roars.\n    - ID: 3 [deleted]\n"
        in shown.text
    )
    assert shown.shown == {"1", "4"}


def test_a_budget_shows_the_path_to_the_attention_node_first(zoo: Markup) -> None:
    shown = zoo.render("1", attention="3", budget=46)
    assert "Label: Mane" in shown.text
    assert shown.shown >= {"1", "2", "3"}
    assert shown.cost <= 46


def test_a_budget_that_has_no_room_for_the_path_tells_the_least(zoo: Markup) -> None:
    error = fault(lambda: zoo.render("1", attention="3", budget=3))
    assert (error.code.code, error.code.http) == ("KM_4002", 413)
    least = error.details["least"]
    assert isinstance(least, int)
    assert zoo.render("1", attention="3", budget=least).cost <= least
    assert code(lambda: zoo.render("1", attention="3", budget=least - 1)) == "KM_4002"


def test_a_content_that_does_not_fit_is_cut_at_a_line_end_and_says_so(zoo: Markup) -> None:
    zoo.nexus.write(
        'UPDATE ?n SET ATTRIBUTES { content: $c } WHERE { ?n {type: "Node", name: "2"} }',
        {"c": LONG},
    )
    shown = zoo.render("2", budget=100)
    assert shown.shortened == {"2"}
    assert "shortened" in shown.text
    assert "line 0 of what lions do\n" in shown.text
    assert "line 19" not in shown.text
    assert shown.cost <= 100


def test_another_counter_counts(zoo: Markup) -> None:
    shown = zoo.render("1", budget=60, counter=len)
    assert len(shown.text) == shown.cost <= 60


def test_attention_outside_the_root_is_refused(zoo: Markup) -> None:
    assert code(lambda: zoo.render("2", attention="4")) == "KM_2007"
    assert code(lambda: zoo.render("2", attention="4", budget=1000)) == "KM_2007"
    assert code(lambda: zoo.render("2", attention="nothing")) == "KM_3001"


def test_an_unknown_root_is_refused(zoo: Markup) -> None:
    assert code(lambda: zoo.render("99")) == "KM_3001"
    assert code(lambda: zoo.render(budget=-1)) == "INVALID_ARGUMENT"
    assert code(lambda: zoo.render(depth=True)) == "INVALID_ARGUMENT"


def test_nothing_is_an_empty_text(markup: Markup) -> None:
    assert markup.render().text == ""
    assert markup.render(budget=0).text == ""


@st.composite
def trees(draw: st.DrawFn) -> str:
    """Return a document of one space with contents of some lines."""
    count = draw(st.integers(1, 12))
    lines = ["- CONCEPTUAL SPACE", "  ID: s", "  Label: S"]
    depth = 0
    for number in range(1, count + 1):
        depth = draw(st.integers(0, min(depth + 1, 4))) if number > 1 else 0
        pad = "  " * (depth + 1)
        lines += [f"{pad}- ID: {number}", f"{pad}  Label: N{number}"]
        size = draw(st.integers(0, 5))
        if size:
            said = [f"{pad}    {'word ' * draw(st.integers(1, 5))}end" for _ in range(size)]
            lines += [f"{pad}  Content: `", *said, f"{pad}  `"]
    return "\n".join(lines) + "\n"


@given(trees(), st.data())
def test_a_view_is_never_over_its_budget_and_a_larger_budget_shows_all_of_it(
    text: str, data: st.DataObject
) -> None:
    with recollect.open(":memory:") as nexus:
        markup = Markup(nexus)
        markup.load(text)
        whole = markup.render()
        ids = sorted(whole.shown - {"s"})
        attention = data.draw(st.sampled_from([None, *ids]))
        budgets = sorted(
            data.draw(st.lists(st.integers(0, whole.cost + 5), min_size=2, max_size=4))
        )
        shown: frozenset[str] = frozenset()
        contents = 0
        for budget in [*budgets, whole.cost + 50]:
            try:
                view = markup.render("s", attention=attention, budget=budget)
            except recollect.RecollectError as error:
                assert error.code.code == "KM_4002"
                assert not shown
                continue
            assert view.cost <= budget
            assert view == markup.render("s", attention=attention, budget=budget)
            assert shown <= view.shown
            assert contents <= view.text.count("end\n") + view.text.count("end ")
            shown, contents = view.shown, view.text.count("end\n") + view.text.count("end ")
        assert view.shown == whole.shown
        assert view.text == markup.render("s").text


def flat(zoo: Markup) -> None:
    nodes = "".join(f"      - ID: n{one}\n        Label: Node {one}\n" for one in range(500))
    zoo.load(f"- CONCEPTUAL SPACE\n  ID: zoo\n  - ID: 1\n    - ID: 4\n{nodes}")


def read_of(zoo: Markup, **asked: object) -> tuple[int, Rendered]:
    """Return how many elements a view reads, and the view."""
    with zoo.nexus.snapshot():
        graph = Graph(zoo.nexus)
        rendered = Rendering(graph, **asked).render(1)  # type: ignore[arg-type]
        return len(graph.elements), rendered


@pytest.mark.parametrize("asked", [{"root": "4"}, {"root": "zoo"}, {}, {"attention": "n400"}])
def test_a_budget_reads_what_can_be_shown_and_counts_the_rest(
    zoo: Markup, asked: dict[str, str]
) -> None:
    flat(zoo)
    elements, view = read_of(zoo, **asked, budget=300)
    assert elements < 150
    whole = zoo.render(asked.get("root"))
    assert len(view.shown) + view.omitted <= len(whole.shown)
    if asked.get("root") == "4":
        assert len(view.shown) + view.omitted == len(whole.shown) == 501
    assert view.text.count("- ID: n") > 10
    assert zoo.render(budget=100_000, **asked).text == zoo.render(**asked).text


def test_what_is_shown_out_of_turn_stands_in_its_place(zoo: Markup) -> None:
    flat(zoo)
    for attention, place in (("n3", "n2\n"), ("n400", "n")):
        text = zoo.render("4", attention=attention, budget=300).text
        before, found, after = text.partition(f"- ID: {attention}\n")
        assert found
        assert place in before
        assert text.count(f"- ID: {attention}\n") == 1
        assert ("- ID: " in after) == (attention == "n3")
        assert text.rstrip().endswith("more nodes")


def test_siblings_within_a_budget_come_in_their_order(zoo: Markup) -> None:
    flat(zoo)
    zoo.apply("- ID: 4\n  - ID: n1\n  - ID: new-1 [created]\n    Label: Between\n  - ID: n2\n")
    zoo.apply("- ID: 4\n  - ID: n499 [updated]\n    Label: First\n  - ID: n0\n")
    ids = [one.id.text for one in parse(zoo.render("4", budget=200).text).walk()]
    assert ids[1:5] == ["n499", "n0", "n1", "8"]


def test_places_that_kip_wrote_are_within_a_budget_too(zoo: Markup) -> None:
    flat(zoo)
    zoo.nexus.write(
        'UPSERT { CONCEPT @n { {type: "Node", name: "given"} '
        'SET PROPOSITIONS { ("parent", {id: "4"}) } } }'
    )
    assert "- ID: given" in zoo.render("4", budget=100_000).text
    assert zoo.render("4", attention="given", budget=300).text.count("given") == 1
    assert zoo.render("4", budget=300).omitted + len(zoo.render("4", budget=300).shown) == 502

"""Journeys through the studio, each ending in what the memory then holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.servers.studio.hostile import BATCH, BATCHES, MARK, PAGES, TEXTS, fill

from recollect.faces.claims import AttentionQueue
from recollect.faces.markup import Markup
from recollect.faces.operations import Operations
from recollect.kernel import Nexus
from recollect.model import Key, PutConcept, Rows


def held(nexus: Nexus, text: str) -> list[object]:
    (rows,) = nexus.read(text).results
    assert isinstance(rows, Rows)
    return [row[0] for row in rows.rows]


def test_asked_found_replaced_with_the_keyboard_alone(page, nexus: Nexus):
    page.goto("/")
    page.keyboard.press("/")
    page.keyboard.type("where does Ann work")
    page.keyboard.press("Enter")
    page.wait_for_url("**/ask?*")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Ann works at Acme", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/element?*")
    page.locator("summary", has_text="Replace").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("2026-06-01")
    page.keyboard.press("Tab")
    page.keyboard.type("Beta")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Keep it").press("Enter")
    page.get_by_text("Kept as transaction").wait_for()
    assert page.get_by_text("until 2026-06-01").first.is_visible()
    text = 'FIND(?o.name) WHERE { ({name: "Ann"}, "works_at", ?o) }'
    assert sorted(map(str, held(nexus, text))) == ["Acme", "Beta"]


def test_the_editor_offers_the_fix_and_runs(page):
    page.goto("/ask?kip=1")
    content = page.locator("kip-editor .cm-content")
    content.click()
    page.keyboard.insert_text('FIND(?x WHERE { ?x {type: "Person"} }')
    content.locator(".cm-lintRange-error").first.hover()
    page.locator("kip-editor .cm-diagnosticAction", has_text="Fix").click()
    page.keyboard.press("Control+Enter")
    page.get_by_role("cell", name="Bob", exact=False).first.wait_for()
    assert "FIND(?x)" in page.locator("kip-editor .cm-content").inner_text()


def test_keys_lead_everywhere(page):
    page.goto("/")
    for key, path in (("c", "/claims"), ("e", "/episodes"), ("g", "/graph"), ("h", "/")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(lambda url, path=path: url.endswith(path))
    page.keyboard.press("?")
    assert page.locator("dialog#keys").is_visible()


def test_what_changes_shows_in_every_tab_over_one_stream(
    new_page: Callable[[], object], seen, nexus: Nexus
):
    first, second = new_page(), new_page()
    for page in (first, second):
        page.goto("/")
    while not seen.streams:
        first.wait_for_timeout(50)
    nexus.write([PutConcept("Planet", "Zoe")], actor="somebody")
    for page in (first, second):
        for part in ("#changes", "#newest"):
            page.locator(part, has_text="Zoe").wait_for()
        page.locator("#about", has_text="Planet").wait_for()
        said = f"{nexus.stats().transactions} transactions"
        page.locator("#figures", has_text=said).wait_for()
    assert len(seen.streams) == 1


def test_a_claim_is_verified_and_its_item_goes(page, nexus: Nexus):
    page.goto("/claims")
    page.get_by_role("link", name="verify, supersede").click()
    page.locator("summary", has_text="Verify").click()
    page.get_by_label("Because").first.fill("I built it myself")
    page.get_by_role("button", name="Show what it does").nth(0).click()
    page.get_by_role("button", name="Keep it").click()
    page.get_by_text("verified · by user").wait_for()
    assert AttentionQueue(nexus).items() == []


def test_the_graph_grows_and_is_taken_along(page):
    page.goto("/graph?id=ann")
    page.locator("#picture[data-ready]").wait_for()
    with page.expect_download() as taken:
        page.get_by_role("button", name="SVG").click()
    assert "Ann" in Path(taken.value.path()).read_text()
    with page.expect_download() as taken:
        page.get_by_role("button", name="PNG").click()
    assert Path(taken.value.path()).read_bytes()[:4] == b"\x89PNG"


def test_a_graph_that_is_drawn_again_stands_as_it_stood(page):
    def places() -> dict[str, object]:
        page.locator("#picture[data-ready]").wait_for()
        return page.evaluate("JSON.parse(sessionStorage.getItem('graph:?all=1'))")

    page.goto("/graph?all=1")
    first = places()
    page.goto("/")
    page.goto("/graph?all=1")
    assert len(first) > 5 and places() == first


def test_rows_become_a_graph_and_a_node_of_it_is_opened(page):
    page.goto('/ask?q=FIND(?x, ?y) WHERE { (?x, "knows", ?y) }')
    page.get_by_role("link", name="graph", exact=True).click()
    page.locator("#picture[data-ready]").wait_for()
    assert "3 nodes, 2 links." in page.locator("#said").inner_text()
    assert page.locator("#legend").inner_text() == "● Person"
    page.locator("summary", has_text="In words").click()
    page.get_by_role("cell", name="Cleo").get_by_role("link").click()
    assert page.get_by_role("heading", name="Cleo").is_visible()


def test_erasing_wants_a_word_and_leaves_nothing(page, nexus: Nexus):
    page.goto("/element?id=cleo")
    page.locator("summary", has_text="Erase").click()
    page.get_by_role("button", name="Show what would go").click()
    page.get_by_label("to confirm").fill("erase")
    page.get_by_role("button", name="Erase").click()
    page.get_by_role("heading", name="Receipt").wait_for()
    assert nexus.elements.look_up(["cleo"], closed=True) == {}


def test_the_past_is_one_slide_away(page):
    page.goto("/element?id=ann")
    slider = page.get_by_label("Transaction")
    slider.focus()
    page.keyboard.press("Home")
    page.get_by_text("You are looking at the past").wait_for()


def test_a_document_of_markup_is_applied(page, nexus: Nexus):
    page.goto("/markup")
    page.locator("#text").fill("- ID: new-1 [created]\n  Label: Tower\n")
    page.get_by_role("button", name="Show what it does").click()
    page.get_by_role("button", name="Apply it").click()
    page.locator("summary", has_text="Tower").wait_for()
    page.get_by_role("link", name="Fold all", exact=True).click()
    assert page.locator("details.node[open]", has_text="Tower").count() == 1  # its space alone
    page.get_by_role("link", name="Unfold all").click()
    page.get_by_role("link", name="Only what is below Bridges").click()
    page.get_by_role("heading", name="Below").wait_for()
    assert page.locator("summary", has_text="Tower").count() == 0
    assert "Tower" in Markup(nexus).render().text


def test_a_table_is_brought_in(page, nexus: Nexus, tmp_path: Path):
    table = tmp_path / "people.csv"
    table.write_text("subject,predicate,object,subject_type\nZoe,works_at,Acme,Person\n")
    page.goto("/care")
    page.get_by_role("link", name="Bring something in").click()
    page.get_by_label("File").set_input_files(table)
    page.get_by_role("button", name="Show what it would do").click()
    page.get_by_text("3 would be created").wait_for()
    assert held(nexus, 'FIND(?x) WHERE { ?x {type: "Person", name: "Zoe"} }') == []
    page.get_by_role("button", name="Keep it").click()
    page.get_by_role("link", name="See what came and what changed").click()
    page.get_by_role("link", name="Zoe works at Acme").first.wait_for()
    assert len(held(nexus, 'FIND(?x) WHERE { ?x {type: "Person", name: "Zoe"} }')) == 1


def test_two_towns_become_one(page, nexus: Nexus):
    page.goto("/care/look?at=duplicates")
    page.get_by_role("button", name="Merge the first into the second").first.click()
    page.get_by_role("button", name="Keep it").click()
    page.get_by_text("Kept as transaction").or_(page.get_by_role("alert")).first.wait_for()
    assert len(held(nexus, 'FIND(?x) WHERE { ?x {type: "Town"} }')) == 1


def test_the_last_change_is_undone(page, nexus: Nexus):
    page.goto("/element?id=ann")
    page.get_by_role("button", name="Undo the last change").click()
    page.get_by_role("button", name="Keep it").click()
    page.get_by_text("Kept as transaction").wait_for()
    life = nexus.history(Key("Person", "Ann"))[-1]
    assert life.versions[-1].after.attributes["role"] == "engineer"


def test_hostile_text_runs_nowhere_and_asks_nobody(page, nexus: Nexus, is_long: bool):
    for number, texts in enumerate(BATCHES if is_long else [TEXTS[:: len(TEXTS) // BATCH]]):
        group = nexus.group(f"g{number}")
        with Operations(group) as operations:
            fill(group, operations, texts)
        for path in (*PAGES, "/element?id=thing3", "/element?id=c0", "/episodes/one?id=e0"):
            page.goto(f"{path}{'&' if '?' in path else '?'}group={group.group_name}")
            assert page.evaluate(f"typeof window.{MARK}") == "undefined", path
            assert page.locator("main").count() == 1, path
            assert page.evaluate("document.title").endswith("Recollect"), path

"""Episodes, Knowledge, Markup and Care."""

from __future__ import annotations

import html
import json
import re
from threading import Event

import pytest
from tests.servers.studio.conftest import Visitor, said
from tests.serving import SECONDS

from behind import COPIES
from recollect.faces.claims import Actor, AttentionQueue
from recollect.faces.knowledge import KnowledgeBase, KnowledgePiece
from recollect.faces.markup import Markup
from recollect.faces.memory import Memory
from recollect.faces.operations.naming import fact_uuid
from recollect.kernel import Nexus
from recollect.model import Key, Progress, PutConcept, PutFact
from recollect.servers.http.guard import Options
from recollect.servers.service import ServedMemory
from recollect.servers.studio.working import Working


@pytest.fixture
def episode(service: ServedMemory) -> str:
    answer = service.operations.add_episodes(
        group_id="default",
        items=[
            {
                "uuid": "letter",
                "source": "text",
                "body": "Dear Bob, Ann works at Acme now.",
                "reference_time": "2026-01-31T09:30:00Z",
            }
        ],
    )
    assert answer["status"] == "ACCEPTED"
    return "letter"


def test_an_episode_shows_its_state_and_its_text(visitor: Visitor, episode: str):
    page = visitor.text("/episodes")
    assert "Dear Bob, Ann works at Acme now." in page and "of 2026-01-31" in page
    assert "Dear Bob" in visitor.text("/episodes/one", id=episode)
    assert visitor.get("/episodes/one", id="nobody").status_code == 404


def test_what_a_person_tells_comes_in_as_an_episode(visitor: Visitor, nexus: Nexus):
    fields = {"text": "Ann moved to Bonn.", "as": "message"}
    tried = said(visitor.post("/remember", step="try", **fields).text)
    assert "Ann moved to Bonn." in tried and nexus.stats().transactions == 0
    page = visitor.post("/remember", step="apply", **fields)
    assert page.url.path == "/episodes" and "Ann moved to Bonn." in said(page.text)
    assert visitor.text("/episodes").count("Ann moved to Bonn.") == 1


@pytest.mark.usefixtures("told")
def test_the_brief_of_an_agent_is_shown(visitor: Visitor, nexus: Nexus):
    page = visitor.get("/brief", topic="Ann").text
    assert html.escape(Memory(nexus).brief("Ann").text.splitlines()[0]) in page
    assert "Ann works at Acme" in page


def test_what_was_learned_is_marked_in_the_text(visitor: Visitor, nexus: Nexus, episode: str):
    ann, acme = Key("Entity", "Ann"), Key("Entity", "Acme")
    nexus.write(
        [
            PutConcept("Entity", "Ann"),
            PutConcept("Entity", "Acme"),
            PutFact(
                ann, "WORKS_AT", acme, "Ann works at Acme", id=fact_uuid(episode, 0), source=episode
            ),
        ]
    )
    page = visitor.get("/episodes/one", id=episode).text
    assert "<bdi>Ann works at Acme</bdi></a></mark>" in page
    assert "What was learned from it fact Ann works at Acme" in said(page)


def test_parked_items_can_be_tried_again(visitor: Visitor, episode: str):
    answer = visitor.post("/episodes/retry", id=episode)
    assert answer.status_code == 200 and answer.url.path == "/episodes"


def test_knowledge_shows_the_prompt_that_a_question_gets(visitor: Visitor, nexus: Nexus):
    with KnowledgeBase(nexus=nexus) as kb:
        kb.add_piece(KnowledgePiece("Initialize LES from RANS.", piece_id="les"))
    assert "Initialize LES from RANS." in visitor.text("/knowledge")
    page = visitor.text("/knowledge", q="Initialize LES")
    assert "The prompt, section by section context" in page


def test_the_prompt_of_then_is_shown_as_of_then(visitor: Visitor, nexus: Nexus):
    with KnowledgeBase(nexus=nexus) as kb:
        kb.add_piece(KnowledgePiece("Initialize LES from RANS.", piece_id="les"))
        then = nexus.stats().transactions
        kb.update_piece(KnowledgePiece("Initialize LES from noise.", piece_id="les"))
    assert "[fact] Initialize LES from noise." in visitor.text("/knowledge", q="LES")
    page = visitor.text("/knowledge", q="LES", known=f"#{then}")
    assert "[fact] Initialize LES from RANS." in page and "noise" not in page
    assert "Nothing is known about that." in visitor.text("/knowledge", q="LES", known="#0")


def test_markup_is_tried_before_it_is_applied(visitor: Visitor, nexus: Nexus):
    text = "- ID: new-1 [created]\n  Label: Lion"
    tried = said(visitor.post("/markup", text=text, step="try").text)
    assert "What it would do" in tried and "Lion" in tried
    assert Markup(nexus).spaces() == ()
    page = said(visitor.post("/markup", text=text, step="apply").text)
    assert "Label: Lion" in page
    assert "Label: Lion" in Markup(nexus).render("main").text
    wrong = visitor.post("/markup", text="- ID: 1 [eaten]", step="try")
    assert wrong.status_code == 400 and "no state [eaten]" in wrong.text
    unmarked = Markup(nexus).render("main").text.replace("Lion", "Tiger")
    assert "it is not marked" in visitor.post("/markup", text=unmarked, step="try").text


ZOO = """
- CONCEPTUAL SPACE
  ID: zoo
  Label: Animals
  - ID: lion
    Label: Lion
    Content: Lives in groups.
    - ID: mane
      Label: Mane
"""
SUMMARY = re.compile(r"<details class=\"node\"( open)?><summary>(.*?)</summary>", re.DOTALL)


def folded(page: str) -> dict[str, bool]:
    """Return which nodes of a page are folded, by what their line says."""
    found = SUMMARY.findall(page)
    return {" ".join(re.sub("<[^>]+>", "", line).split()): not opened for opened, line in found}


@pytest.fixture
def zoo(nexus: Nexus) -> Markup:
    markup = Markup(nexus)
    markup.load(ZOO)
    return markup


@pytest.mark.usefixtures("zoo")
def test_spaces_are_trees_that_fold(visitor: Visitor):
    names = ["Animals conceptual space 1", "Lion 1", "Mane"]
    assert folded(visitor.get("/markup").text) == dict(
        zip(names, [False, False, True], strict=True)
    )
    assert folded(visitor.get("/markup", fold="none").text) == dict.fromkeys(names, False)
    assert folded(visitor.get("/markup", fold="all").text)["Lion 1"]
    assert "Lives in groups." in visitor.text("/markup")
    below = folded(visitor.get("/markup", root="lion").text)
    assert "Mane" in below and "Animals conceptual space 1" not in below
    assert "Lion" in visitor.text("/element", id="lion")


def test_nodes_have_their_states(visitor: Visitor, zoo: Markup):
    text = "- ID: lion [updated]\n  Label: Old lion\n- ID: new-1 [created]\n  Label: Tiger"
    page = visitor.post("/markup", text=text, step="try").text
    tried = page.partition("What it would do")[2].partition("Element by element")[0]
    assert {"updated Old lion", "created Tiger"} <= folded(tried).keys()
    assert "href" not in tried.partition("</ul>")[0]
    zoo.set_read_only("lion")
    zoo.apply("- ID: mane [deleted]")
    assert {"read-only Lion"} <= folded(visitor.get("/markup").text).keys()
    assert "deleted Mane" in folded(visitor.get("/markup", deleted="1").text)


def test_the_tree_of_then_is_shown(visitor: Visitor, nexus: Nexus, zoo: Markup):
    then = nexus.stats().transactions
    zoo.apply("- ID: mane [deleted]")
    assert "Mane" not in visitor.text("/markup")
    assert "Mane" in folded(visitor.get("/markup", known=f"#{then}", fold="none").text)


@pytest.mark.parametrize("at", ["orphans", "expiring", "fading", "schema", "audit", "duplicates"])
@pytest.mark.usefixtures("told")
def test_every_look_of_care_answers(visitor: Visitor, at: str):
    assert visitor.get("/care/look", at=at).status_code == 200


@pytest.mark.usefixtures("told")
def test_what_faces_keep_for_themselves_is_no_orphan(visitor: Visitor, nexus: Nexus):
    AttentionQueue(nexus).reject("Ann is tall", Actor("agent", "alpha"))
    page = visitor.text("/care/look", at="orphans")
    assert "Beta Company" in page and "RejectedClaim" not in page and "Episode" not in page


def test_duplicates_are_merged_side_by_side(visitor: Visitor, nexus: Nexus):
    nexus.write([PutConcept("Town", "New York", id="a"), PutConcept("Town", "new  york", id="b")])
    page = visitor.text("/care/look", at="duplicates")
    assert "1 pair that may be one" in page
    visitor.post("/element/change", do="merge", id="b", into="a", step="apply")
    assert "0 pairs" in visitor.text("/care/look", at="duplicates")


def test_what_has_expired_is_closed_when_it_was_seen(visitor: Visitor, nexus: Nexus):
    nexus.write([PutConcept("Event", "lunch", metadata={"expires_at": "2020-01-01"})])
    assert "Would be closed: 1" in visitor.text("/care/look", at="expiring")
    assert "Closed: 1" in said(visitor.post("/care/upkeep", do="expire").text)


@pytest.mark.usefixtures("told")
def test_the_doctor_and_copies_are_there(visitor: Visitor):
    assert "The memory is well" in said(visitor.post("/care/doctor").text)
    lines = visitor.post("/care/dump").content.splitlines()
    assert len(lines) > 5 and isinstance(json.loads(lines[0]), dict)


@COPIES
@pytest.mark.usefixtures("told")
def test_a_file_is_downloaded_whole(visitor: Visitor):
    assert "Download the whole file" in visitor.text("/care")
    assert visitor.post("/care/backup").content.startswith(b"SQLite format 3")


@pytest.mark.usefixtures("told")
def test_the_steps_of_long_work_come_before_what_it_found(visitor: Visitor, nexus: Nexus):
    doctor = visitor.post("/care/doctor").text
    steps = [said(one) for one in re.findall(r'<p class="working">.*?</p>', doctor)]
    assert (steps[0], steps[-1]) == ("file: 0 of 1", "groups: 2 of 2")
    assert doctor.rindex('class="working"') < doctor.index("The memory is well")
    audit = visitor.get("/care/look", at="audit").text
    last = f"transactions: {nexus.stats().transactions} of {nexus.stats().transactions}"
    assert audit.index(last) < audit.index("Nothing was changed behind the log")
    wrong = visitor.get("/care/look", at="audit", head="x").text
    assert "INVALID_ARGUMENT" in said(wrong) and "Copies" in wrong


@pytest.mark.usefixtures("told")
def test_home_has_the_last_word_of_the_doctor(visitor: Visitor):
    assert "has not looked since this server started" in visitor.text("/")
    visitor.post("/care/doctor")
    assert "The doctor found it well" in visitor.text("/")


def test_work_is_told_on_its_way_while_it_goes_on():
    goes_on = Event()

    def work(progress: Progress) -> dict[str, object]:
        progress("digging", 1, 2)
        assert goes_on.wait(SECONDS)
        progress("digging", 2, 2)
        return {"found": "gold"}

    working = Working(work)
    steps = working.steps()
    assert next(steps) == ("digging", 1, 2)
    goes_on.set()
    assert list(steps) == [("digging", 2, 2)]
    assert working.outcome() == {"found": "gold"}


def test_a_token_is_shown_once(visitor: Visitor):
    page = visitor.post("/care/token", groups="team", name="ann").text
    assert "rct_" in page and "&#34;groups&#34;:[&#34;team&#34;]" in page
    assert "rct_" not in visitor.get("/care").text


class TestReadOnly:
    @pytest.fixture
    def options(self) -> Options:
        return Options(is_studio_read_only=True)

    def test_nothing_is_written_from_any_of_these(self, visitor: Visitor, nexus: Nexus):
        before = nexus.stats().transactions
        for path in (
            "/markup",
            "/care/upkeep",
            "/care/token",
            "/episodes/retry",
            "/element/erase",
            "/remember",
        ):
            assert visitor.post(path, do="expire", text="x", id="x").status_code == 403
        for path in ("/care/doctor", "/care/dump"):
            assert visitor.post(path).status_code == 200
        assert nexus.stats().transactions == before

"""Asking in plain words and in KIP, and what comes back."""

from __future__ import annotations

import html
import json
import re

import pytest
from tests.servers.studio.conftest import Visitor, said

from recollect.faces.claims import Actor, Claim, EvidenceRef
from recollect.faces.claims.writing import Writer
from recollect.kernel import Nexus
from recollect.model import PutConcept

pytestmark = pytest.mark.usefixtures("told")

PEOPLE = 'FIND(?x, ?x.attributes.role) WHERE { ?x {type: "Person"} }'


def test_plain_words_find_what_they_are_about_with_clocks_score_and_source(visitor: Visitor):
    page = visitor.text("/ask", q="where does Ann work")
    assert "Ann works at Acme" in page
    assert "true since 2021-01-01" in page and "Score 0." in page and "her letter" in page
    assert "spy" not in page


def test_the_parts_of_a_score_add_up_to_it(visitor: Visitor):
    page = visitor.get("/ask", q="where does Ann work").text
    table = re.search(r'<table class="plain scores">.*?</table>', page).group()
    *points, whole = [float(one) for one in re.findall(r"<td>(\d\.\d\d)</td>", table)]
    assert len(points) > 2 and abs(sum(points) - whole) < 0.01 * len(points)
    assert len(re.findall("<meter ", table)) == len(points) and "it holds ann, work" in table


def test_a_hit_says_what_it_replaced_and_what_it_said_before(visitor: Visitor, nexus: Nexus):
    replaced = {"do": "replace", "at": "2026-06-01", "object": "Beta", "step": "apply"}
    visitor.post("/element/change", id="job", **replaced)
    new = Claim("payments uses events", [EvidenceRef("file", path="bus.py")], supersedes="sagas")
    Writer(nexus).write([new], Actor("agent", "alpha"))
    page = visitor.text("/ask", q="where does Ann work")
    assert "In place of Ann works at Acme until 2026-06-01" in page
    assert "Changed" in page and "role engineer director" in page
    assert "In place of payments uses sagas" in visitor.text("/ask", q="payments uses events")
    assert "role engineer" not in visitor.text("/ask", q="where does Ann work", known="#1")


def test_what_nothing_answers_says_so_and_kinds_can_be_chosen(visitor: Visitor):
    assert "Nothing in this memory answers that" in visitor.text("/ask", q="quantum chromodynamics")
    page = visitor.text("/ask", q="where does Ann work", kind="claim")
    assert "Ann works at Acme" not in page
    assert visitor.get("/ask", q="Ann", kind="rumour").status_code == 400


def test_the_first_question_to_a_large_memory_says_how_far_it_is(visitor: Visitor, nexus: Nexus):
    nexus.write([PutConcept("Number", str(at)) for at in range(20_000)])
    first = visitor.get("/ask", q="where does Ann work").text
    assert said(re.search(r'<p class="working">.*?</p>', first).group()).startswith("read for")
    assert first.rindex('class="working"') < first.index("Ann works at Acme")
    assert 'class="working"' not in visitor.get("/ask", q="where does Ann work").text


def test_kip_gives_a_table_whose_elements_have_pages(visitor: Visitor):
    answer = visitor.get("/ask", q=PEOPLE)
    assert "director" in said(answer.text) and 'href="/element?id=ann"' in answer.text
    assert "Row 1" in visitor.text("/ask", q=PEOPLE, **{"as": "tree"})
    assert "1 row; LIMIT leaves out more" in visitor.text("/ask", q=f"{PEOPLE} LIMIT 1")
    assert "leaves out" not in visitor.text("/ask", q=f"{PEOPLE} LIMIT 2")


def test_an_error_stands_under_its_word_and_one_button_mends_it(visitor: Visitor):
    answer = visitor.get("/ask", q='FIND(?x WHERE { ?x {type: "Person"} }')
    assert answer.status_code == 400
    assert "<mark>WHERE</mark>" in answer.text
    assert (
        'value="FIND(?x) WHERE { ?x {type: &#34;Person&#34;} }"><button>Apply the fix'
        in answer.text
    )


def test_a_warning_has_its_place_its_fix_and_a_hint_that_can_be_followed(
    visitor: Visitor, nexus: Nexus
):
    page = visitor.get("/ask", q='FIND(?x) WHERE { (?x, "works_att", ?y) }').text
    assert "<mark>" in page and "Apply the fix" in page
    assert "&#34;works_at&#34;" in page[page.index("<mark>") :]
    nexus.write(
        "UPDATE ?l SET METADATA { valid_until: $at } WHERE { ?l (id: $id) }",
        {"at": "2020-01-01", "id": "job"},
    )
    rests = visitor.text("/ask", q='FIND(?x.name) WHERE { (?x, "works_at", ?y) }')
    assert "empty the field" in rests or "write now into" in rests
    assert "as_of" not in rests


def test_parameters_are_asked_for_in_a_form(visitor: Visitor):
    text = 'FIND(?x.attributes.role) WHERE { ?x {type: "Person", name: $name} }'
    assert "fill in name" in visitor.text("/ask", q=text)
    assert "director" in visitor.text("/ask", q=text, **{"p.name": "Ann"})


def test_what_limit_leaves_out_comes_on_the_next_page_with_its_reasons(
    visitor: Visitor, nexus: Nexus
):
    named = "FIND(?x.name) WHERE { ?x {type: $type} } ORDER BY ?x.name LIMIT 1"
    first = visitor.get("/ask", q=named, **{"p.type": "Person"}).text
    assert "Ann" in said(first) and "Bob" not in said(first)
    nexus.write([PutConcept("Person", "Aaron")])
    to = html.unescape(re.search(r'href="([^"]+)">the next rows', first).group(1))
    page = visitor.http.get(to).text
    assert "Bob" in said(page) and "the next rows" not in page
    later = html.unescape(re.search(r'href="([^"]+)" aria-label="Why row 1"', page).group(1))
    reasons = said(visitor.http.get(later).text)
    assert "Bob" in reasons and "Ann" not in reasons  # of the moment of the first page
    back = html.unescape(
        re.search(r'href="([^"]+)">Back to', visitor.http.get(later).text).group(1)
    )
    assert said(visitor.http.get(back).text) == said(page)
    along = html.unescape(re.search(r'href="([^"]+)">CSV', page).group(1))
    assert visitor.http.get(along).text.split() == ["x.name", "Bob"]
    why = html.unescape(re.search(r'href="([^"]+)" aria-label="Why row 1"', first).group(1))
    assert "Aaron" in said(visitor.http.get(why).text)
    hits = visitor.get("/ask", q='SEARCH CONCEPT "Ann Bob Acme" LIMIT 1').text
    more = html.unescape(re.search(r'href="([^"]+)">More', hits).group(1))
    found = [
        re.search(r"<ol.*</ol>", one, re.DOTALL).group()
        for one in (hits, visitor.http.get(more).text)
    ]
    assert len({said(one) for one in found}) == 2


def test_explain_draws_each_step_where_it_runs_with_what_is_expected_there(visitor: Visitor):
    text = """FIND(?x) WHERE {
        (?x, "knows", ?y) ?x {type: "Person"} NOT { (?x, "works_at" | "leads", ?z) }
    }"""
    page = visitor.get("/ask", q=text, explain=1).text
    boxes = said(page[page.index('<ol class="steps">') : page.index('<p class="figures">')])
    assert boxes == (
        "Find concepts about 1 step 2 of the text concept ?x.2 type=Person"
        " Leave out what has step 3 of the text not, sharing ?x.2"
        " Follow links about 1 step 4 of the text link _.4 (?x.2, works_at | leads, ?z.5)"
        " Follow links about 1 step 1 of the text link _.1 (?x.2, knows, ?y.3)"
        " Answer with find x = ?x.2"
    )
    assert page.index('class="step-not"') < page.index("works_at | leads") < page.index("</ol>")
    assert "Download" not in said(page)


def test_explain_of_a_search_tells_its_steps_in_words(visitor: Visitor):
    page = visitor.text("/ask", q='SEARCH "Ann"', explain=1)
    assert "look up in the text index: ann rank the concepts" in page


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("csv", b"x,x.attributes.role\r\nAnn,director\r\nBob,baker\r\n"),
        (
            "jsonl",
            b'{"x":"Ann","x.attributes.role":"director"}\n{"x":"Bob","x.attributes.role":"baker"}\n',
        ),
    ],
)
def test_rows_can_be_taken_along(visitor: Visitor, form: str, expected: bytes):
    answer = visitor.get("/ask/download", q=PEOPLE, **{"as": form})
    assert answer.content == expected
    assert answer.headers["content-disposition"] == f'attachment; filename="answer.{form}"'


def test_a_spreadsheet_runs_nothing_of_a_download(visitor: Visitor, nexus: Nexus):
    nexus.write('UPSERT { CONCEPT { {type: "Person", name: "=cmd()"} } }')
    answer = visitor.get(
        "/ask/download", q='FIND(?x.name) WHERE { ?x {type: "Person"} }', **{"as": "csv"}
    )
    assert b"'=cmd()" in answer.content


def test_a_text_that_writes_is_tried_before_it_is_kept(visitor: Visitor, nexus: Nexus):
    text = 'UPSERT { CONCEPT { {type: "Person", name: "Ann"} SET ATTRIBUTES {role: "chair"} } }'
    before = nexus.stats().transactions
    assert "This text writes" in visitor.text("/ask", q=text)
    tried = said(visitor.post("/ask/write", q=text, step="try").text)
    assert "update" in tried and "director" in tried and "chair" in tried
    assert nexus.stats().transactions == before
    kept = said(visitor.post("/ask/write", q=text, step="apply").text)
    assert f"Kept as transaction #{before + 1}" in kept
    assert "chair" in visitor.text("/ask", q=PEOPLE)
    assert nexus.changes(before)[0].transaction.actor == "studio"


def test_a_question_can_be_saved_and_is_a_concept(visitor: Visitor, nexus: Nexus):
    visitor.post("/ask/save", q=PEOPLE, name="Who is there")
    assert "Who is there" in visitor.text("/ask")
    assert nexus.read('FIND(?q.attributes.text) WHERE { ?q {type: "SavedQuestion"} }').results[
        0
    ].rows == [(PEOPLE,)]
    assert nexus.recall("Who is there").memories == ()  # a bookmark is no memory


def test_why_names_what_a_row_stands_on_and_who_wrote_it(visitor: Visitor):
    page = visitor.text("/ask/why", q=PEOPLE, row=0)
    assert "Ann" in page and "version 2" in page and "by hr" in page


def test_an_empty_box_comes_with_questions_that_this_memory_answers(visitor: Visitor):
    found = re.findall(r'<a href="([^"]+)"><code>FIND', visitor.get("/ask").text)
    assert len(found) == 3
    for one in found:
        assert "row" in said(visitor.http.get(html.unescape(one)).text)


def test_the_past_is_asked_with_both_clocks(visitor: Visitor):
    assert "engineer" in visitor.text("/ask", q=PEOPLE, known=1)
    assert "looking at the past" in visitor.get("/ask", q=PEOPLE, known=1).text


def test_a_type_lists_its_concepts(visitor: Visitor):
    page = visitor.text("/types", type="Person")
    assert "Ann" in page and "Bob" in page


def test_the_editor_is_told_what_is_wrong_in_the_units_of_a_browser(visitor: Visitor):
    answer = visitor.post("/ask/diagnostics", text='FIND(?x WHERE { ?x {name: "😀"} }')
    (found,) = json.loads(answer.content)["diagnostics"]
    assert (found["from"], found["to"], found["fix"]) == (8, 13, {"from": 7, "to": 7, "text": ")"})


def test_the_editor_completes_names_of_the_memory_and_explains_words(visitor: Visitor):
    text = 'FIND(?x) WHERE { ?x {type: "Per'
    answer = json.loads(visitor.post("/ask/completion", text=text, at=len(text)).content)
    assert {"label": "Person", "type": "text"} in answer["options"]
    assert answer["from"] == len(text) - 3
    meant = json.loads(visitor.post("/ask/meaning", text=PEOPLE, at=2).content)
    assert meant["form"].startswith("FIND(")

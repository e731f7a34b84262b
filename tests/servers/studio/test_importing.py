"""Files brought in through a page: seen first, then kept, whole or not at all."""

from __future__ import annotations

import html
import re
from pathlib import Path

import httpx2
import pytest
from tests.servers.studio.conftest import FORM, Visitor, said
from tests.servers.studio.hostile import SCRIPTS, acted_on

import recollect
from recollect.faces.markup import Markup
from recollect.integrations.exchange import FORMATS
from recollect.kernel import Nexus
from recollect.model import PutConcept
from recollect.servers.http.guard import Options
from recollect.servers.http.tokens import AccessTokens, new_token
from recollect.servers.studio.importing import FILE_BYTES, TITLES

TABLE = b"subject,predicate,object,subject_type,valid_at\r\nAnn,works_at,Acme,Person,2021-03-01\r\n"
CAPSULE = 'UPSERT { CONCEPT { {type: "Drug", name: "Aspirin"} SET ATTRIBUTES { dose: 100 } } }'
DOCUMENT = "- CONCEPTUAL SPACE\n  Label: Animals\n  - ID: 7\n    Label: Lion\n"
HIDDEN = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)"')


def bring(visitor: Visitor, content: bytes, name: str = "people.csv", **fields: str):
    """Choose a file, as a browser sends it."""
    given = {"token": visitor.token(), "kind": "auto", "source": "", "text": "", **fields}
    return visitor.http.post("/care/import", data=given, files={"file": (name, content)})


def paste(visitor: Visitor, text: str, **fields: str):
    """Paste a text, as a browser sends it where no file is chosen."""
    given = {"token": visitor.token(), "kind": "auto", "text": text, **fields}
    return visitor.http.post("/care/import", data=given, files={"file": ("", b"")})


def keep(visitor: Visitor, page: httpx2.Response):
    """Press the button below what a file would do."""
    form = next(one for one in FORM.findall(page.text) if "Keep it" in one)
    fields = {name: html.unescape(value) for name, value in HIDDEN.findall(form)}
    return visitor.http.post("/care/import", data={**fields, "step": "apply"})


def test_a_table_is_shown_first_and_kept_when_it_was_seen(visitor: Visitor, nexus: Nexus):
    page = bring(visitor, TABLE, source="the HR list")
    text = said(page.text)
    assert "1 record, 3 would be created, 0 would be updated; said to come from the HR list" in text
    assert "Ann works at Acme" in text and nexus.stats().transactions == 0
    kept = keep(visitor, page)
    assert "3 created" in said(kept.text) and "See what came and what changed" in kept.text
    question = 'FIND(?o.name) WHERE { ({type: "Person", name: "Ann"}, "works_at", ?o) }'
    assert nexus.read(question).results[0].rows == [("Acme",)]
    again = keep(visitor, bring(visitor, TABLE, source="the HR list"))
    assert "the memory held it already" in again.text


def test_a_capsule_may_be_pasted(visitor: Visitor, nexus: Nexus):
    page = paste(visitor, CAPSULE)
    assert "It is read as a capsule of KIP" in said(page.text) and "Aspirin" in page.text
    keep(visitor, page)
    assert [one.name for one in nexus.concepts.named("Drug", ["Aspirin"]).values()] == ["Aspirin"]


def test_a_document_of_markup_is_known_by_its_beginning(visitor: Visitor, nexus: Nexus):
    page = paste(visitor, DOCUMENT)
    assert "a document of Knowing Markup" in said(page.text) and Markup(nexus).spaces() == ()
    keep(visitor, page)
    assert "Label: Lion" in Markup(nexus).render().text


def test_a_dump_brings_its_group_with_all_of_its_past(
    visitor: Visitor, nexus: Nexus, tmp_path: Path
):
    with recollect.open(":memory:") as other:
        other.write([PutConcept("Person", f"p{one}") for one in range(50)])  # ids of its own
        other.group("club").write([PutConcept("Person", "Zoe", {"age": 1})])
        other.group("club").write([PutConcept("Person", "Zoe", {"age": 2})])
        other.group("club").dump(tmp_path / "club.jsonl")
    page = bring(visitor, (tmp_path / "club.jsonl").read_bytes(), "club.jsonl")
    assert "group club : 1 concept, 0 links, 2 transactions" in said(page.text)
    assert "club" not in nexus.groups()
    keep(visitor, page)
    assert nexus.group("club").stats().transactions == 2
    twice = keep(visitor, page)
    assert twice.status_code == 400 and "club" in said(twice.text)


def test_lines_that_cannot_be_read_are_named_and_may_be_left_out(visitor: Visitor, nexus: Nexus):
    bad = TABLE + b"Bob,,\n"
    page = bring(visitor, bad)
    assert page.status_code == 400 and "line 3 cannot be imported" in said(page.text)
    assert "choose “leave out what cannot be read”" in said(page.text)
    kept = keep(visitor, bring(visitor, bad, skip_bad="1"))
    assert "Left out 1 record" in said(kept.text) and nexus.stats().links == 1


@pytest.mark.parametrize("content", [b"", b" \n"])
def test_nothing_is_not_brought_in(visitor: Visitor, content: bytes):
    page = bring(visitor, content, "empty.csv")
    assert page.status_code == 400 and "there is nothing to bring in" in page.text


def test_what_tells_of_no_kind_asks_for_one(visitor: Visitor):
    page = bring(visitor, b"hello", "hello")
    assert page.status_code == 400 and "tells what format it is in" in said(page.text)
    assert bring(visitor, b"x", kind="virus").status_code == 400


def test_a_kept_field_that_holds_no_file_is_refused(visitor: Visitor):
    page = visitor.post("/care/import", file="*", step="apply", **{"file.name": "x"})
    assert page.status_code == 400


@pytest.mark.parametrize("name", [*SCRIPTS, "../../etc/passwd", "a\0b", "/tmp/x"])
def test_the_name_of_a_file_is_a_text_and_no_path(visitor: Visitor, name: str):
    page = bring(visitor, TABLE, name, kind="csv")
    assert page.status_code == 200 and acted_on(page.text) == []
    assert keep(visitor, page).status_code == 200


def test_a_file_may_be_larger_than_other_requests_and_not_larger_than_said(visitor: Visitor):
    row = b"Ann,knows,%d,Person,\n"
    many = TABLE + b"".join(row % one for one in range(100)) + b"\n" * 2**20
    assert "100 records" in said(bring(visitor, many).text).replace("101", "100")
    assert bring(visitor, b"x" * (2 * FILE_BYTES)).status_code in (400, 413, 429)


def test_every_format_that_can_be_read_is_offered():
    assert set(FORMATS) <= set(TITLES)


class TestReadOnly:
    @pytest.fixture
    def options(self) -> Options:
        return Options(is_studio_read_only=True)

    def test_a_studio_that_reads_offers_no_import_and_refuses_one(self, visitor: Visitor):
        assert "Show what it would do" not in visitor.get("/care/import").text
        assert bring(visitor, TABLE).status_code == 403


class TestTokens:
    @pytest.fixture
    def token(self) -> tuple[str, object]:
        return new_token(["team"], name="ann")

    @pytest.fixture
    def options(self, token) -> Options:
        return Options(tokens=AccessTokens((token[1],)))

    def test_who_has_some_groups_restores_no_dump_of_others(
        self, visitor: Visitor, token, tmp_path: Path
    ):
        form = visitor.get("/").text
        change = re.search(r'name="token" value="(\w+)"', form).group(1)
        visitor.http.post("/sign-in", data={"token": change, "bearer": token[0]})
        with recollect.open(":memory:") as other:
            other.group("club").write([PutConcept("Person", "Zoe")])
            other.group("club").dump(tmp_path / "club.jsonl")
        page = bring(visitor, (tmp_path / "club.jsonl").read_bytes(), "club.jsonl")
        assert page.status_code == 403 and "only an administrator of all groups" in page.text
        assert "3 would be created" in said(bring(visitor, TABLE).text)

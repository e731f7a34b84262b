"""What holds of every page: its headers, its sessions, and who may change something."""

from __future__ import annotations

import hashlib
import json
import re

import httpx2
import pytest
from tests.servers.studio.conftest import MAKERS, Visitor, said
from tests.serving import SECONDS, Stage

from recollect.errors import ToDo
from recollect.kernel import Nexus
from recollect.model import PutConcept
from recollect.servers.http.app import make_app
from recollect.servers.http.guard import Options
from recollect.servers.http.tokens import AccessTokens, new_token
from recollect.servers.service import ServedMemory
from recollect.servers.studio.assets import FOLDER, assets
from recollect.servers.studio.rendering import WORDS

KEEP = 'UPSERT { CONCEPT { {type: "Person", name: "Eve"} } }'


@pytest.mark.usefixtures("told")
def test_every_page_forbids_what_is_not_of_this_origin(visitor: Visitor):
    for path in ("/", "/ask?q=ann", "/keys", "/types?type=Person", "/ask?q=FIND("):
        page = visitor.get(path)
        policy = page.headers["content-security-policy"]
        assert policy.startswith("default-src 'self';") and "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["x-frame-options"] == "DENY"
        assert page.headers["cache-control"] == "no-store"
        assert not re.search(
            r"<script(?! src=)|<style|\sstyle=|\son\w+=|https?://(?!127)", page.text
        )


def test_what_pages_load_is_what_the_manifest_pins_and_small():
    manifest = json.loads((FOLDER / "manifest.json").read_text())
    for name, pinned in manifest.items():
        assert hashlib.sha256((FOLDER / name).read_bytes()).hexdigest() == pinned["sha256"]
        assert pinned["license"] and pinned["version"]
    own = {"studio.css", "studio.js", "graph.js", "icon.svg"}
    assert set(assets()) == set(manifest) | own
    assert sum(len(one.compressed) for one in assets().values()) <= 300_000


def test_a_file_may_be_kept_for_good_and_another_address_of_it_is_nothing(visitor: Visitor):
    (address, *_) = re.findall(r'src="(/assets/[^"]+)"', visitor.get("/").text)
    answer = visitor.get(address)
    assert answer.status_code == 200 and "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-encoding"] == "gzip"
    assert visitor.get(re.sub("/assets/.", "/assets/_", address)).status_code == 404


def test_a_change_without_the_token_of_its_session_is_refused(visitor: Visitor, nexus: Nexus):
    before = nexus.stats().transactions
    for token in ("", "0" * 64, "é"):
        answer = visitor.post("/ask/write", q=KEEP, step="apply", token=token)
        assert (answer.status_code, "no token of this session" in answer.text) == (403, True)
    assert nexus.stats().transactions == before
    assert visitor.post("/ask/write", q=KEEP, step="apply").status_code == 200
    assert nexus.stats().transactions == before + 1


def test_the_token_of_another_session_changes_nothing(visitor: Visitor, stage: Stage):
    with httpx2.Client(base_url=stage.url, timeout=SECONDS) as other:
        token = Visitor(other).token()
    assert visitor.post("/ask/write", q=KEEP, step="apply", token=token).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"host": "evil.example"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_pages_of_other_origins_and_other_names_are_refused(visitor: Visitor, headers):
    assert visitor.http.get("/", headers=headers).status_code == 403


def test_a_link_elsewhere_may_lead_here(visitor: Visitor):
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    document = followed | {"sec-fetch-dest": "document"}
    assert visitor.http.get("/", headers=document).status_code == 200
    framed = followed | {"sec-fetch-dest": "iframe"}
    assert visitor.http.get("/", headers=framed).status_code == 403


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(visitor: Visitor):
    cookie = visitor.get("/").headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert "set-cookie" not in visitor.get("/").headers


def test_a_page_that_fails_says_so_in_words(visitor: Visitor):
    for path in ("/", "/ask?q=ann"):
        answer = visitor.http.get(f"{path}{'&' if '?' in path else '?'}valid=someday")
        assert answer.status_code == 400
        assert "not an ISO 8601 date" in said(answer.text)


class TestReadOnly:
    @pytest.fixture
    def options(self) -> Options:
        return Options(is_studio_read_only=True)

    @pytest.mark.usefixtures("told")
    def test_a_studio_that_reads_has_no_button_and_refuses_every_write(
        self, visitor: Visitor, nexus: Nexus
    ):
        before = nexus.stats().transactions
        for path in ("/", "/ask?q=ann", "/ask?q=" + KEEP):
            page = visitor.get(path)
            assert "read only" in page.text
            assert 'method="post"' not in page.text
        for path in ("/ask/write", "/ask/save"):
            answer = visitor.post(path, q=KEEP, step="apply", name="one")
            assert (answer.status_code, "only reads" in answer.text) == (403, True)
        assert nexus.stats().transactions == before


class TestTokens:
    @pytest.fixture
    def options(self) -> Options:
        return Options()

    @pytest.fixture
    def bearer(self, stage: Stage, service: ServedMemory, nexus: Nexus) -> str:
        token, row = new_token(["team"], name="ann")
        nexus.group("team").write([PutConcept("Person", "Ann of the team")])
        stage.app = make_app(service, Options(tokens=AccessTokens((row,))), makers=MAKERS)
        return token

    def test_a_session_begins_with_a_token_and_ends_with_it(
        self, visitor: Visitor, bearer: str, nexus: Nexus
    ):
        page = visitor.get("/")
        assert page.status_code == 401 and "Ann of the team" not in page.text
        token = re.search(r'name="token" value="(\w+)"', page.text).group(1)
        wrong = visitor.post("/sign-in", token=token, bearer="rct_wrong", next="/")
        assert wrong.status_code == 401
        home = visitor.post("/sign-in", token=token, bearer=bearer, next="//evil.example")
        assert home.status_code == 200 and "Ann of the team" in home.text
        assert bearer not in str(visitor.http.cookies.jar)
        visitor.post("/ask/write", q=KEEP, step="apply")
        (last,) = nexus.group("team").changes(1)
        assert last.transaction.actor == "ann"
        visitor.post("/sign-out")
        assert visitor.get("/").status_code == 401

    def test_a_group_outside_the_token_does_not_exist(self, visitor: Visitor, bearer: str):
        token = re.search(r'name="token" value="(\w+)"', visitor.get("/").text).group(1)
        home = visitor.post("/sign-in", token=token, bearer=bearer, next="/")
        assert "decoy" not in home.text
        there, absent = (visitor.get("/", group=one) for one in ("decoy", "nowhere"))
        assert there.status_code == absent.status_code == 403
        assert said(there.text).replace("decoy", "*") == said(absent.text).replace("nowhere", "*")

    def test_a_forged_cookie_begins_nothing(self, visitor: Visitor, bearer: str):
        forged = hashlib.sha256(bearer.encode()).hexdigest() + ".9999999999.x." + "0" * 64
        answer = visitor.http.get("/", headers={"cookie": f"recollect_studio={forged}"})
        assert answer.status_code == 401


def test_changes_are_told_as_they_come(visitor: Visitor, nexus: Nexus):
    with visitor.http.stream("GET", "/studio/events?memory=true") as stream:
        lines = stream.iter_lines()
        assert next(lines).startswith("id: ")
        nexus.write([PutConcept("Person", "Zoe")])
        event = next(line for line in lines if line.startswith("event: "))
        assert event == "event: memory.changed"
        assert json.loads(next(lines).removeprefix("data: ")) == {"transaction": 1}
    assert "Zoe" in visitor.get("/").text


@pytest.mark.usefixtures("told")
def test_home_says_what_the_memory_is_about(visitor: Visitor):
    page = visitor.text("/")
    assert "Person 2" in page and "works_at" in page and "by hr" in page
    assert "decoy" not in page


def test_every_hint_that_has_words_of_a_server_has_words_of_the_pages():
    assert set(WORDS) == set(ToDo)

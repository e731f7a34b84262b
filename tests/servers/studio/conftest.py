"""A studio over a memory of its own, and one who looks at it as a browser without scripts would."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
import pytest
from tests.serving import SECONDS, Stage, stage

import recollect
from recollect.faces.claims import Actor, Claim, EvidenceRef
from recollect.faces.claims.writing import Writer
from recollect.kernel import Nexus
from recollect.model import Key, PutConcept, PutFact, PutLink
from recollect.servers.http.app import FACES, make_app
from recollect.servers.http.front import front_face
from recollect.servers.http.guard import Options
from recollect.servers.service import ServedMemory, at_work, make_service
from recollect.servers.studio import studio_face

__all__ = ["stage"]

MAKERS = (*(one for one in FACES if one is not front_face), studio_face)
FORM = re.compile(r"<form[^>]*>.*?</form>", re.DOTALL)


@dataclass
class Visitor:
    """Follows links and sends forms."""

    http: httpx2.Client

    def get(self, path: str, /, **query: object) -> httpx2.Response:
        return self.http.get(path, params={name: str(value) for name, value in query.items()})

    def text(self, path: str, /, **query: object) -> str:
        """Return what a page says, without its tags."""
        answer = self.get(path, **query)
        assert answer.status_code == 200, answer.text
        return said(answer.text)

    def token(self) -> str:
        return re.search(r'data-token="(\w+)"', self.get("/").text).group(1)

    def post(self, path: str, /, **fields: object) -> httpx2.Response:
        """Send a form with the token of the session."""
        if "token" not in fields:
            fields["token"] = self.token()
        return self.http.post(path, data={name: str(value) for name, value in fields.items()})


def said(text: str) -> str:
    """Return the words of a page."""
    body = text.partition("<main")[2].rpartition("</main>")[0] or text
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


@pytest.fixture
def nexus() -> Iterator[Nexus]:
    with recollect.open(":memory:") as nexus:
        decoy = nexus.group("decoy")
        decoy.write([PutConcept("Person", "Ann", {"role": "spy of the decoy"})])
        yield nexus


@pytest.fixture
def service(nexus: Nexus) -> Iterator[ServedMemory]:
    with at_work(make_service(nexus), 30) as service:
        yield service


@pytest.fixture
def options() -> Options:
    return Options()


@pytest.fixture
def visitor(stage: Stage, service: ServedMemory, options: Options) -> Iterator[Visitor]:
    stage.app = make_app(service, options, makers=MAKERS)
    with httpx2.Client(base_url=stage.url, timeout=SECONDS, follow_redirects=True) as http:
        yield Visitor(http)


@pytest.fixture
def told(nexus: Nexus) -> None:
    """Tell the memory of Ann, who became a director, of where she works, and a claim."""
    nexus.write(
        [
            PutConcept("Person", "Ann", {"role": "engineer"}, id="ann"),
            PutConcept("Person", "Bob", {"role": "baker"}, id="bob"),
            PutConcept("Company", "Acme", id="acme"),
            PutConcept("Company", "Beta", id="beta"),
            PutFact(
                Key("Person", "Ann"),
                "works_at",
                Key("Company", "Acme"),
                "Ann works at Acme",
                metadata={"valid_from": "2021-01-01", "source": "her letter"},
                id="job",
            ),
            PutLink("bob", "knows", "ann", id="friends"),
        ],
        actor="importer",
        request_id="r-1",
    )
    nexus.write([PutConcept("Person", "Ann", {"role": "director"})], actor="hr")
    Writer(nexus).write(
        [Claim("payments uses sagas", [EvidenceRef("file", path="saga.py")], id="sagas")],
        Actor("agent", "alpha", run_id="run-1", show_id="show-1"),
    )

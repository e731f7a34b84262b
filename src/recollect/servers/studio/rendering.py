"""Templates to pages.

The rule: stored text is hostile. Every value is escaped as it is printed, and what a screen obeys
instead of showing it, such as a control character or a change of direction, is shown by its name.
Templates hold no script and no style, and no header would let them run.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import orjson
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from recollect.errors import Hint, RecollectError, ToDo
from recollect.faces.claims import EvidenceRef
from recollect.faces.claims.viewing import STRENGTH
from recollect.model import Instant, bound_text
from recollect.servers.studio.assets import address_of
from recollect.servers.studio.visit import StudioPage, Visit, in_path

SAFE_HEADERS: Final[Mapping[str, str]] = {
    "content-security-policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
        "object-src 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
PAGE_HEADERS: Final = dict(SAFE_HEADERS) | {"cache-control": "no-store"}

NAVIGATION: Final = (
    ("/", "Home", "h"),
    ("/ask", "Ask", "a"),
    ("/graph", "Graph", "g"),
    ("/claims", "Claims", "c"),
    ("/episodes", "Episodes", "e"),
    ("/knowledge", "Knowledge", "k"),
    ("/markup", "Markup", "m"),
    ("/compare", "Compare", "t"),
    ("/care", "Care", "r"),
)
"""The pages that can be gone to from everywhere: address, name, key after `g`."""

WORDS: Final[Mapping[ToDo, str]] = {
    ToDo.GIVE_PARAMETER: "fill in {0} below",
    ToDo.ASK_ABOUT_NOW: "empty the field “True at”",
    ToDo.ASK_AT_TRANSACTION: "write #{0} into “Known at”",
    ToDo.WRITE: "write it at Ask, which shows what it would do",
    ToDo.FORGET: "{1} {0} on its page",
    ToDo.CORRECT: "correct {0} on its page: “{1}” {2}",
    ToDo.UNDO: "undo the last change of {0} on its page",
    ToDo.JOIN: "at Ask: MERGE CONCEPT ?one INTO ?other WHERE "
    '{{ ?one {{id: "{0}"}} ?other {{id: "{1}"}} }}',
    ToDo.SEARCH: "search for it at Ask",
    ToDo.SERVE: "tell at Remember whom the agent serves",
    ToDo.LIST_GROUPS: "choose one of the groups above",
    ToDo.SEE_TRANSACTION: "look at transaction #{0} at Compare",
    ToDo.MOVE_CLAIM: "it may become {0}",
    ToDo.NAME_BY_KEY: "choose it by its type and name",
    ToDo.MEND_OR_SKIP: "mend it, or choose “leave out what cannot be read”",
    ToDo.DECLARE_OR_FORCE: "look at Schema in Care, and declare or mend what is there",
    ToDo.LIST_CLAIMS: "find it at Claims",
    ToDo.LIST_ATTENTION: "look at the queue at Claims",
    ToDo.PASS_OPTION: "use {1} for {0}",
    ToDo.NAME_LATER: "name a later day",
    ToDo.LIST_NODES: "look at Markup",
    ToDo.LIST_RUNS: "recollect markup runs",
    ToDo.LIST_EXCHANGES: "search for it at Ask",
}
"""What a hint says on a page; {0} is the first of what it is about."""

FIELDS: Final = {"valid_at": "True since", "invalid_at": "True until", "text": "In words"}
"""The fields that correct a fact on its page, by the member of the fact."""

_OBEYED: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_LONGEST: Final = 4_000  # characters of one text on a page
_LARGEST_JSON: Final = 20_000


def visible(text: str) -> str:
    """Return a text with what a screen would obey shown by its number.

    >>> visible("a" + chr(0x202E) + "b")
    'a⟨202E⟩b'
    """
    return _OBEYED.sub(_named, text)


def clipped(text: object, most: int = _LONGEST) -> str:
    """Return a text that is no longer than `most` characters."""
    whole = str(text)
    return whole if len(whole) <= most else f"{whole[:most]}… ({len(whole):,} characters)"


def exactly(text: str) -> Markup:
    """Return a text as it is, only escaped: for a field that is sent back."""
    return Markup(escape(text.encode("utf-8", "replace").decode()))


def when(instant: Instant | int | float | None, otherwise: str = "") -> Markup | str:
    """Return an instant as a person reads it, with all of it on hover."""
    told = bound_text(None if instant is None else Instant(int(instant)))
    if told is None:
        return otherwise
    day, _, time = told.partition("T")
    short = day if time.startswith("00:00:00.000") else f"{day} {time[:5]}"
    return Markup('<time datetime="{0}" title="{0}">{1}</time>').format(told, short)


def as_json(value: object) -> str:
    """Return a value as JSON that is laid out, no longer than a page can show."""
    laid = orjson.dumps(value, option=orjson.OPT_INDENT_2, default=str).decode()
    return clipped(laid, _LARGEST_JSON)


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun.

    >>> counted(1, "link"), counted(1200, "link")
    ('1 link', '1,200 links')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(number: int) -> Markup:
    """Return a number of bytes in the unit that fits, with all of it on hover.

    >>> size(2_500_000).striptags()
    '2.5 MB'
    """
    shown, unit = float(number), "B"
    for larger in ("kB", "MB", "GB", "TB"):
        if shown < 1_000:
            break
        shown, unit = shown / 1_000, larger
    told = f"{shown:.0f} {unit}" if unit == "B" else f"{shown:.1f} {unit}"
    return Markup('<span title="{0} bytes">{1}</span>').format(f"{number:,}", told)


def own_hint(hint: str) -> str:
    """Return a hint that can be followed on a page.

    >>> from recollect.errors import ask_at, said_anew
    >>> own_hint(ask_at(2)), own_hint("write a }")
    ('write #2 into “Known at”', 'write a }')
    >>> own_hint(said_anew("L:4", "valid_at", "2024-05-01"))
    'correct L:4 on its page: “True since” 2024-05-01'
    """
    if not isinstance(hint, Hint):
        return hint
    return WORDS[hint.todo].format(*(FIELDS.get(str(one), one) for one in hint.on))


def strongest_first(evidence: Sequence[EvidenceRef]) -> list[EvidenceRef]:
    """Return evidence in the order of its strength."""
    return sorted(evidence, key=lambda one: STRENGTH[one.kind])


class Pages:
    """Makes the text of pages."""

    def __init__(self) -> None:
        folder = Path(__file__).parent / "templates"
        self._environment = Environment(
            loader=FileSystemLoader(folder),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            finalize=_final,
        )
        self._environment.filters |= {
            "clip": clipped,
            "exact": exactly,
            "when": when,
            "json": as_json,
            "counted": counted,
            "size": size,
            "in_path": in_path,
            "visible": visible,
            "own": own_hint,
            "quoted": shlex.quote,
            "strongest": strongest_first,
        }
        self._environment.globals |= {"asset": address_of, "navigation": NAVIGATION}

    def pieces(self, visit: Visit, page: StudioPage) -> Iterator[bytes]:
        """Yield the text of a page as it is made."""
        template = self._environment.get_template(page.template)
        frame = {"visit": visit, "title": page.title, "now": datetime.now(UTC)}
        for piece in template.generate({**frame, **page.shows}):
            yield piece.encode("utf-8", "replace")

    def refusal(self, visit: Visit | None, error: RecollectError, status: int) -> str:
        """Return the page that tells of an error; without a visit one that leads nowhere."""
        name = "bare.html" if visit is None else "error.html"
        template = self._environment.get_template(name)
        return template.render(
            visit=visit, title=error.code.name or error.code.code, error=error, status=status
        )

    def signing_in(self, shows: Mapping[str, object]) -> str:
        """Return the page at which a token is pasted."""
        template = self._environment.get_template("sign_in.html")
        return template.render(visit=None, title="Sign in", **shows)


def _final(value: object) -> object:
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return visible(value)


def _named(match: re.Match[str]) -> str:
    sign = match.group()
    if unicodedata.category(sign) == "Cc" and ord(sign) < 0x20:
        return chr(0x2400 + ord(sign))
    return f"⟨{ord(sign):04X}⟩"

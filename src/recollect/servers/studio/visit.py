"""One request for a page: who asks, of which group, as of when, and what a page answers with.

The rule: the address says everything. Group, both clocks, question and filters stand in its query,
and every link to another page carries group and clocks on, so that an address can be passed on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote, urlencode

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError, refused
from recollect.faces.claims import Actor
from recollect.faces.operations import Caller, Operations
from recollect.kernel import Nexus, read_as_of
from recollect.model import AsOf
from recollect.node import dataclass, field
from recollect.servers.service import ServedMemory
from recollect.servers.studio.working import LastWord

GROUP: Final = "group"
VALID: Final = "valid"
KNOWN: Final = "known"
_KEPT: Final = (GROUP, VALID, KNOWN)
_DIGITS: Final = 18
_NUMBER: Final = re.compile(r"#([0-9]{1,17})|[0-9]{1,3}|[0-9]{5,18}")


@dataclass(frozen=True, slots=True)
class Visit:
    """A request, as the function of a page sees it."""

    service: ServedMemory
    nexus: Nexus  # of the group that is asked about
    caller: Caller
    path: str
    places: Mapping[str, str] = field(default_factory=dict)  # what stands in the path
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    change_token: str = ""
    is_read_only: bool = False
    has_tokens: bool = False
    host: str = ""
    last_word: LastWord = field(default_factory=LastWord)

    @property
    def is_whole(self) -> bool:
        """Whether who asks may see and do what is about the whole file."""
        return self.caller.is_admin and self.caller.groups is None

    @property
    def actor(self) -> str:
        """Who writes, as the log shows it."""
        return self.caller.name or "studio"

    @property
    def acting(self) -> Actor:
        """Who acts on claims."""
        return Actor("user", self.actor)

    @property
    def transactions(self) -> int:
        """How many transactions the group has."""
        return self.nexus.stats().transactions

    def numbered(self, given: str) -> int | None:
        """Return the transaction that a text names by its number; None where it names none."""
        return _numbered(given.strip())

    @property
    def groups(self) -> list[str]:
        """The groups that who asks may see."""
        return self.caller.seen(self.nexus.groups())

    @property
    def operations(self) -> Operations:
        """The operations, on behalf of who asks."""
        return self.service.operations.on_behalf_of(self.caller)

    @property
    def valid(self) -> str:
        """The instant of fact time that is asked about, as it was given."""
        return self.query.get(VALID, "").strip()

    @property
    def known(self) -> str:
        """The instant of system time, or the transaction, that is asked about, as given."""
        return self.query.get(KNOWN, "").strip()

    @property
    def moment(self) -> AsOf | None:
        """Both clocks as asked; None for the present. INVALID_VALUE for what is no time."""
        return moment_of(self.valid, self.known)

    @property
    def then(self) -> AsOf | None:
        """What the memory held at the moment asked about, of any fact time."""
        return moment_of("", self.known)

    def asked(self, name: str, otherwise: str = "") -> str:
        """Return a field of the query."""
        return self.query.get(name, otherwise)

    def number(self, name: str, otherwise: int, most: int) -> int:
        """Return a number of the query, between 0 and `most`."""
        given = self.query.get(name, "")
        if not given:
            return otherwise
        if not (given.isascii() and given.isdecimal() and len(given) <= _DIGITS):
            raise refused(f"{name} is not a number", f"{name}={otherwise}")
        return min(int(given), most)

    def to(self, path: str, **more: object) -> str:
        """Return the address of a page, with group and clocks; what is empty is left out."""
        kept = {name: self.query[name] for name in _KEPT if self.query.get(name)}
        given = kept | {name: str(value) for name, value in more.items()}
        query = urlencode({name: value for name, value in given.items() if value})
        return f"{path}?{query}" if query else path

    def again(self, **more: object) -> str:
        """Return the address of this page with other fields; an empty one is left out."""
        given = dict(self.query) | {name: str(value) for name, value in more.items()}
        query = urlencode({name: value for name, value in given.items() if value})
        return f"{self.path}?{query}" if query else self.path

    def element(self, identifier: str) -> str:
        """Return the address of the page of an element."""
        return self.to("/element", id=identifier)


def moment_of(valid: str, known: str) -> AsOf | None:
    """Return the point in both times that two texts name; None where neither says anything."""
    number = _numbered(known)
    given = {VALID: valid, KNOWN: known if number is None else number}
    asked = {name: one for name, one in given.items() if one != ""}
    return read_as_of(asked) if asked else None


def _numbered(known: str) -> int | None:
    """Return the transaction that a text names by its number, "#12" or "12"; four are a year."""
    found = _NUMBER.fullmatch(known)
    return None if found is None else int(found[1] or found[0])


def transaction_of(nexus: Nexus, given: str, otherwise: int, last: int) -> int:
    """Return the last transaction that a text names or an instant saw. Cost: a few reads."""
    if not given.strip():
        return otherwise
    moment = moment_of("", given.strip())
    if moment is None:
        return otherwise
    if moment.transaction is not None:
        return min(moment.transaction, last)
    instant = moment.known
    if instant is None:
        raise refused("the moment names no time", "from=2026-01-31")
    low, high = 0, last  # transactions up to `low` were there by then
    while low < high:
        middle = (low + high + 1) // 2
        (logged,) = nexus.changes(middle - 1, 1, most=0)
        low, high = (middle, high) if logged.transaction.at <= instant else (low, middle - 1)
    return low


@dataclass(frozen=True, slots=True)
class StudioPage:
    """A page: its template and what it shows."""

    template: str
    title: str
    shows: Mapping[str, object] = field(default_factory=dict)
    status: int = 200
    is_part: bool = False  # to be put into a page, without a frame of its own
    is_told: bool = False  # sent as it is made, since it waits for something


@dataclass(frozen=True, slots=True)
class Away:
    """Leads to another page."""

    address: str


@dataclass(frozen=True, slots=True)
class Download:
    """A file for the browser to keep."""

    name: str
    media_type: str
    content: bytes
    is_attached: bool = True


Answered = StudioPage | Away | Download


@dataclass(frozen=True, slots=True)
class Route:
    """Where a page is, and what makes it; a POST changes something, or asks with a long text."""

    path: str
    make: Callable[[Visit], Answered]
    method: str = "GET"
    writes: bool = False


def required(values: Mapping[str, str], name: str) -> str:
    """Return a field that must be given."""
    value = values.get(name, "")
    if not value:
        raise refused(f"{name} is missing", "go back and fill in the form")
    return value


def absent(identifier: str) -> RecollectError:
    """Return the error for an element that is not there."""
    return RESOURCE_NOT_FOUND.error(
        f'nothing in this group has the id "{identifier[:80]}"', "search for it at Ask"
    )


def in_path(text: str) -> str:
    """Return a text as one part of a path."""
    return quote(text, safe="")

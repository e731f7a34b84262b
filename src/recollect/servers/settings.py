"""Where things are: the database, the group, the directories of the user.

The only module that reads the environment. Everything else is told.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from recollect.errors import RecollectError, not_among, refused
from recollect.kernel import COMPARE_EVERY, is_there, parse_address, shown_address
from recollect.node import dataclass, field

FILE_NAME = "memory.db"
DEMO_NAME = "demo.db"
PROGRAM = "recollect"
DEFAULT_GROUP = "default"
DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 7411
EXTRACTORS = ("structured", "patterns", "llm")
EMBEDDERS = ("http", "minilm", "fastembed", "sentence-transformers")
SEARCH_MODES = ("keyword", "semantic", "hybrid")
LONGEST_TIMEOUT = 3_600
MOST_NUMBERS = 65_536  # of a vector

_COUNTS = "PROMETHEUS_MULTIPROC_DIR"  # read by the library that counts, as it is loaded


@dataclass(frozen=True, slots=True)
class Located:
    """A database and why it is the one in use."""

    path: str = field(repr=False)  # as `recollect.open` takes it
    reason: str
    is_own: bool = False  # the user's own, in a folder that this program may have to make

    @property
    def shown(self) -> str:
        """The path as people see it: the address of a server has no password."""
        return shown_address(self.path)

    @property
    def file(self) -> Path | None:
        """The file on disk; None for a memory that is not in a file."""
        try:
            return parse_address(self.path).path
        except RecollectError:
            return None  # opening it says why

    @property
    def is_alone(self) -> bool:
        """Whether no other process can open it: it is in the memory of this one."""
        try:
            return parse_address(self.path).path is None
        except RecollectError:
            return False  # a server, or no place at all: opening it says why

    @property
    def exists(self) -> bool:
        """Whether opening it creates nothing; what names no place, or no server, is told so."""
        return is_there(self.path)


@dataclass(frozen=True, slots=True)
class Learning:
    """How facts are found in episodes; the fields of a model are empty where none is named."""

    extractor: str = "structured"  # or patterns, or llm
    model: str = ""
    key: str = field(default="", repr=False)
    url: str = ""
    timeout_seconds: float = 60.0


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """How texts become vectors, and how a search uses them where it does not say."""

    embedder: str
    model: str = ""
    key: str = field(default="", repr=False)
    url: str = ""
    dimension: int | None = None  # None: the model's own
    timeout_seconds: float = 30.0
    search_mode: str = "keyword"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says, read once at construction."""

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    platform: str = sys.platform

    def database(self, given: str | None = None) -> Located:
        """Return the database to use: given, RECOLLECT_DB, ./memory.db, the user's own."""
        if given is not None:
            return Located(given, "named on the command line", self._is_own(given))
        if named := self.environment.get("RECOLLECT_DB"):
            return Located(named, "named by RECOLLECT_DB", self._is_own(named))
        if Path(FILE_NAME).is_file():
            return Located(FILE_NAME, "found in the current directory")
        return Located(
            str(self.user_data() / FILE_NAME),
            f"your own memory: RECOLLECT_DB is not set and there is no {FILE_NAME} here",
            is_own=True,
        )

    def group(self, given: str | None = None) -> str:
        """Return the group to use: given, RECOLLECT_GROUP, `default`."""
        if given == "":
            raise refused("the group has no name", "leave --group out, or name one")
        if given is not None:
            return given
        return self.environment.get("RECOLLECT_GROUP") or DEFAULT_GROUP

    def actor(self, given: str | None = None) -> str | None:
        """Return who writes: the one given, else RECOLLECT_ACTOR, else None."""
        return self.environment.get("RECOLLECT_ACTOR") or None if given is None else given

    def compare_every(self) -> int:
        """Return of how many elements that are read one is compared: RECOLLECT_COMPARE_EVERY."""
        named = self.environment.get("RECOLLECT_COMPARE_EVERY")
        if not named:
            return COMPARE_EVERY
        every = _number(named)
        if every is None:
            raise refused(
                f"RECOLLECT_COMPARE_EVERY is {named}, not a whole number from 0",
                f"RECOLLECT_COMPARE_EVERY={COMPARE_EVERY}",
            )
        return every

    def person(self, given: str | None = None) -> str | None:
        """Return who is at the terminal: the actor, else the name this computer knows."""
        named = self.actor(given), self.environment.get("USER"), self.environment.get("USERNAME")
        return next((one for one in named if one), None)

    def host(self, given: str | None = None) -> str:
        """Return where a server listens: given, RECOLLECT_HOST, this machine alone."""
        return given or self.environment.get("RECOLLECT_HOST") or DEFAULT_HOST

    def port(self, given: int | None = None) -> int:
        """Return the port a server listens to: given, RECOLLECT_PORT, 7411."""
        named = self.environment.get("RECOLLECT_PORT")
        if given is not None or not named:
            return DEFAULT_PORT if given is None else given
        number = _number(named)
        if number is None or number > 65535:
            raise refused(
                f"RECOLLECT_PORT is {named}, not a number up to 65535",
                f"set it to {DEFAULT_PORT}, or name one with --port",
            )
        return number

    def tokens(self, given: Path | None = None) -> Path | None:
        """Return the file of tokens: given, RECOLLECT_TOKENS, none."""
        named = self.environment.get("RECOLLECT_TOKENS")
        return Path(named) if given is None and named else given

    def check_at(self, given: str | None = None) -> time | None:
        """Return when a server examines its memory: given, RECOLLECT_CHECK_AT, never."""
        named = given or self.environment.get("RECOLLECT_CHECK_AT")
        if not named:
            return None
        try:
            return datetime.strptime(named, "%H:%M").replace(tzinfo=UTC).time()
        except ValueError as error:
            raise refused(f"{named} is not a time of day", "write it as 03:00, in UTC") from error

    def import_from(self, given: Sequence[Path] = ()) -> tuple[Path, ...]:
        """Return the folders that agents import from: those given, else RECOLLECT_IMPORT_FROM.

        Several are separated as in PATH. INVALID_ARGUMENT for anything but a folder.
        """
        named = self.environment.get("RECOLLECT_IMPORT_FROM", "").split(os.pathsep)
        folders = tuple(given) or tuple(Path(one) for one in named if one)
        for one in folders:
            if not one.is_dir():
                raise refused(
                    f"{one} is not a folder that files can be imported from",
                    "name a folder that is there with --import-from",
                )
        return tuple(one.resolve() for one in folders)

    def learning(self) -> Learning:
        """Return how facts are found: RECOLLECT_EXTRACTOR, and RECOLLECT_LLM_* of a model."""
        return Learning(
            self._one_of("RECOLLECT_EXTRACTOR", EXTRACTORS, "extractor"),
            self.environment.get("RECOLLECT_LLM_MODEL", ""),
            self.environment.get("RECOLLECT_LLM_KEY", ""),
            self.environment.get("RECOLLECT_LLM_URL", ""),
            self._seconds("RECOLLECT_LLM_SECONDS", Learning().timeout_seconds),
        )

    def embedding(self) -> EmbeddingSettings | None:
        """Return how texts become vectors: RECOLLECT_EMBEDDER and RECOLLECT_EMBEDDER_*; or not."""
        if not self.environment.get("RECOLLECT_EMBEDDER"):
            return None
        return EmbeddingSettings(
            self._one_of("RECOLLECT_EMBEDDER", EMBEDDERS, "embedder"),
            self.environment.get("RECOLLECT_EMBEDDER_MODEL", ""),
            self.environment.get("RECOLLECT_EMBEDDER_KEY", ""),
            self.environment.get("RECOLLECT_EMBEDDER_URL", ""),
            self._dimension(),
            self._seconds("RECOLLECT_EMBEDDER_SECONDS", EmbeddingSettings("").timeout_seconds),
            self._one_of("RECOLLECT_SEARCH_MODE", SEARCH_MODES, "mode of search"),
        )

    def _one_of(self, variable: str, known: tuple[str, ...], noun: str) -> str:
        """Return a word of the environment; the first known one if it is not set."""
        named = self.environment.get(variable) or known[0]
        if named not in known:
            message = f"{variable} is {named}, which is not a known {noun}"
            raise not_among(message, named, known, "set it to {}")
        return named

    def _dimension(self) -> int | None:
        named = self.environment.get("RECOLLECT_EMBEDDER_DIMENSION")
        if not named:
            return None
        number = _number(named)
        if number is None or not 1 <= number <= MOST_NUMBERS:
            raise refused(
                f"RECOLLECT_EMBEDDER_DIMENSION is {named}, not a number from 1 to {MOST_NUMBERS}",
                "leave it out: the model has one of its own",
            )
        return number

    def _seconds(self, variable: str, otherwise: float) -> float:
        named = self.environment.get(variable)
        if not named:
            return otherwise
        number = _number(named)
        if number is None or not 1 <= number <= LONGEST_TIMEOUT:
            raise refused(
                f"{variable} is {named}, not a number of seconds from 1 to {LONGEST_TIMEOUT}",
                f"set it to {otherwise:g}",
            )
        return float(number)

    def _is_own(self, path: str) -> bool:
        """Return whether a path is that of the user's own memory, through links or not."""
        own = self.user_data() / FILE_NAME
        return os.path.abspath(path) in {os.path.abspath(own), os.path.realpath(own)}

    def history(self) -> Path:
        """Return the file of the shell's history."""
        return self._directory("XDG_STATE_HOME", ".local/state") / "history"

    def user_data(self) -> Path:
        """Return the directory of the user's own memory."""
        return self._directory("XDG_DATA_HOME", ".local/share")

    def demo(self) -> Path:
        """Return the file of the demo's memory, which every run of the demo makes anew."""
        return self.user_data() / DEMO_NAME

    def program(self) -> str:
        """Return what calls this program from a terminal: its path where its name would not."""
        if shutil.which(PROGRAM, path=self.environment.get("PATH", "")):
            return PROGRAM
        beside = shutil.which(PROGRAM, path=str(Path(sys.executable).parent))
        return beside or PROGRAM

    def _directory(self, variable: str, below_home: str) -> Path:
        match self.platform:
            case "win32":
                local = self.environment.get("LOCALAPPDATA")
                parent = Path(local) if local else Path.home() / "AppData" / "Local"
            case "darwin":
                parent = Path.home() / "Library" / "Application Support"
            case _:
                chosen = self.environment.get(variable)
                parent = Path(chosen) if chosen else Path.home() / below_home
        return parent / "recollect"


@contextmanager
def counting_in(folder: Path) -> Iterator[None]:
    """Let processes that are begun meanwhile keep their counts in a folder, for each other."""
    os.environ[_COUNTS] = str(folder)
    try:
        yield
    finally:
        del os.environ[_COUNTS]


def _number(named: str) -> int | None:
    """Return a number of up to nine digits, or None: Python refuses to read some thousands."""
    return int(named) if named.isdecimal() and len(named) < 10 else None


def own_version() -> str:
    """Return the version of Recollect; of one that is run from its sources, "0"."""
    try:
        return version("recollect")
    except PackageNotFoundError:
        return "0"

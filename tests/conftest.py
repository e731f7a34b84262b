"""What every test shares: the options of a run, and how hard Hypothesis looks."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import parts
import postgres

_ONLY = "only of a file: "

# "ci" gives the same examples on every run; a test that needs more asks for a multiple of
# `settings.default.max_examples`, so that the long profile raises it too.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=25)
settings.register_profile(
    "fuzz",
    deadline=None,
    max_examples=5_000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="many more examples and crash rounds")
    parser.addoption("--foreign", action="store_true", help="services with servers or clients")
    parser.addoption(
        "--engine",
        default="sqlite",
        help="where memories are: sqlite, postgres (a server of our own), or postgres:ADDRESS;"
        " sqlite:ADDRESS says where the twins of files are",
    )
    parser.addoption("--citus", action="store_true", help="the address is a coordinator of Citus")
    parser.addoption("--twins", type=int, default=25, help="examples of a file and its twin")
    parser.addoption("--server-place", help="where the data of a server of our own is")
    parser.addoption("--update", action="store_true", help="rewrite golden sections of case files")


def _is_on_server(config: pytest.Config) -> bool:
    """Whether the memories of all tests are on a server, rather than a few by name."""
    return not str(config.getoption("--engine")).startswith("sqlite")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("fuzz" if config.getoption("--long") else "ci")
    if config.getoption("--server-place") is None:
        config.option.server_place = place = postgres.new_place()  # workers are told
        config.add_cleanup(lambda: postgres.forget_place(place))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Let the collector of garbage pass over what stays to the end: all modules and tests."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not _is_on_server(config):
        return
    for item in items:
        if item.path.parent.name == "sqlite":  # tests of the folder of one engine
            item.add_marker(pytest.mark.sqlite_only("is about SQLite and its file"))
        for mark in item.iter_markers("sqlite_only"):
            item.add_marker(pytest.mark.skip(reason=f"{_ONLY}{mark.args[0]}"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what a run on a server leaves out, and how often each reason is given."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(str(one.longrepr[2]).partition(_ONLY)[2] for one in skipped if one.longrepr)
    del reasons[""]
    if reasons:
        terminalreporter.section(f"{reasons.total()} tests are of files alone")
    for reason, count in reasons.most_common():
        terminalreporter.line(f"{count:5}  {reason}")


@pytest.fixture(scope="session", autouse=True)
def _no_authorities(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let no client load the certificates of all authorities, which takes it long: none is asked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SSL_CERT_FILE", raising=False)
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("authorities")))
        yield


@pytest.fixture(scope="session")
def postgres_server(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a PostgreSQL server, started for the run unless the run names one."""
    _, _, named = request.config.getoption("--engine").partition(":")
    if named:
        yield named
    else:
        with postgres.served(request.config.getoption("--server-place")) as started:
            yield started


@pytest.fixture(scope="session")
def database(postgres_server: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a database for this worker alone; of Citus, the one that has its machines."""
    if request.config.getoption("--citus"):
        yield postgres_server
        return
    worker = getattr(request.config, "workerinput", {}).get("workerid", "alone")
    with postgres.database(postgres_server, f"recollect_test_{worker}") as created:
        yield created


@pytest.fixture(scope="session", autouse=True)
def _engine(request: pytest.FixtureRequest) -> Iterator[None]:
    """Have the memories of all tests where the run wants them."""
    if not _is_on_server(request.config):
        yield
    else:
        database = request.getfixturevalue("database")
        is_spread = bool(request.config.getoption("--citus"))
        with postgres.served_memories(database, is_spread=is_spread), parts.heard() as found:
            yield
        parts.check(database, found)


@pytest.fixture
def on_server(database: str) -> Iterator[str]:
    """The address of a new store on a server."""
    with postgres.schema(database) as address:
        yield address


@pytest.fixture
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a new store, of the engine that this run is about."""
    if not _is_on_server(request.config):
        return str(tmp_path / "memory.db")
    return str(request.getfixturevalue("on_server"))


@pytest.fixture(scope="session")
def is_long(request: pytest.FixtureRequest) -> bool:
    """Whether this run takes the time to look hard."""
    return bool(request.config.getoption("--long"))


@pytest.fixture(scope="session")
def is_update(request: pytest.FixtureRequest) -> bool:
    """Whether golden sections are rewritten from what the code prints now."""
    return bool(request.config.getoption("--update"))

"""Which database, group and directories are used, and why."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from behind import FILES
from recollect.errors import RecollectError
from recollect.servers.settings import Located, Settings


@pytest.fixture(autouse=True)
def _directory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@FILES
def test_the_command_line_comes_before_the_environment_and_the_directory():
    Path("memory.db").touch()
    settings = Settings({"RECOLLECT_DB": "named.db"}, "linux")
    assert settings.database("given.db").path == "given.db"
    assert settings.database().path == "named.db"
    assert Settings({}, "linux").database().path == "memory.db"


@FILES
def test_without_any_of_them_it_is_the_users_own(tmp_path: Path):
    settings = Settings({"XDG_DATA_HOME": str(tmp_path)}, "linux")
    assert settings.database().path == str(tmp_path / "recollect" / "memory.db")


@FILES
def test_the_users_own_is_known_by_its_path_too(tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    settings = Settings({"XDG_DATA_HOME": str(tmp_path / "link")}, "linux")
    own = settings.database()
    assert settings.database(own.path).is_own
    assert settings.database(str(tmp_path / "recollect" / "memory.db")).is_own
    assert Settings({**settings.environment, "RECOLLECT_DB": own.path}, "linux").database().is_own
    assert not settings.database(str(tmp_path / "memory.db")).is_own
    assert not settings.database("\0").is_own


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {}, ".local/share/recollect"),
        ("darwin", {}, "Library/Application Support/recollect"),
        ("win32", {}, "AppData/Local/recollect"),
    ],
)
def test_each_platform_keeps_data_where_it_is_usual(platform, environment, expected):
    assert Settings(environment, platform).user_data() == Path.home() / expected


def test_windows_says_itself_where_data_is(tmp_path: Path):
    assert Settings({"LOCALAPPDATA": str(tmp_path)}, "win32").user_data() == tmp_path / "recollect"


def test_the_program_is_called_by_its_path_where_its_name_is_not_found(tmp_path: Path):
    program = tmp_path / "recollect"
    program.write_text("")
    program.chmod(0o755)
    assert Settings({"PATH": str(tmp_path)}).program() == "recollect"
    elsewhere = Settings({"PATH": str(tmp_path / "nothing")}).program()
    assert elsewhere == "recollect" or Path(elsewhere).is_file()


def test_an_empty_file_holds_no_memory_yet():
    Path("empty.db").touch()
    assert not Located("empty.db", "").exists


def test_an_address_is_read_as_the_kernel_reads_it():
    assert Located("sqlite:///a%20b.db", "").file == Path("a b.db")


def test_the_group_is_given_or_named_or_default():
    assert Settings({"RECOLLECT_GROUP": "team"}).group("mine") == "mine"
    assert Settings({"RECOLLECT_GROUP": "team"}).group() == "team"
    assert Settings({}).group() == "default"


@pytest.mark.parametrize(
    ("path", "file"),
    [
        ("a.db", Path("a.db")),
        ("sqlite:///a.db", Path("a.db")),
        ("sqlite:////var/a.db", Path("/var/a.db")),
        (":memory:", None),
        ("sqlite:///:memory:", None),
        ("postgresql://host/base", None),
    ],
)
def test_a_path_names_a_file_or_none(path: str, file: Path | None):
    located = Located(path, "")
    assert located.file == file
    if not path.startswith("postgresql"):  # only the server knows
        assert located.exists is (file is None)


def test_who_writes_is_given_or_named_by_the_environment():
    settings = Settings({"RECOLLECT_ACTOR": "env"}, "linux")
    assert (settings.actor("ann"), settings.actor()) == ("ann", "env")
    assert Settings({"RECOLLECT_ACTOR": ""}, "linux").actor() is None
    assert Settings({}, "linux").actor() is None


def test_folders_for_files_are_given_or_named_as_in_path_and_must_be_there(tmp_path: Path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    named = Settings({"RECOLLECT_IMPORT_FROM": f"{one}{os.pathsep}{two}"})
    assert named.import_from() == (one.resolve(), two.resolve())
    assert named.import_from([two]) == (two.resolve(),)
    assert Settings({}).import_from() == ()
    with pytest.raises(RecollectError, match="not a folder"):
        named.import_from([tmp_path / "three"])


def test_where_a_server_listens_is_given_or_named_or_its_own_machine():
    named = Settings({"RECOLLECT_HOST": "::1", "RECOLLECT_PORT": "80", "RECOLLECT_TOKENS": "t"})
    assert (named.host(), named.port(), named.tokens()) == ("::1", 80, Path("t"))
    assert (named.host("h"), named.port(0), named.tokens(Path("u"))) == ("h", 0, Path("u"))
    nothing = Settings({})
    assert (nothing.host(), nothing.port(), nothing.tokens()) == ("127.0.0.1", 7411, None)


def test_how_many_elements_are_compared_is_named_or_one_in_a_thousand():
    assert Settings({}).compare_every() == 1_000
    assert Settings({"RECOLLECT_COMPARE_EVERY": "0"}).compare_every() == 0
    for named in ("-1", "all", "1.5"):
        with pytest.raises(RecollectError, match=f"RECOLLECT_COMPARE_EVERY is {named}"):
            Settings({"RECOLLECT_COMPARE_EVERY": named}).compare_every()


@pytest.mark.parametrize(
    "variable",
    [
        "RECOLLECT_PORT",
        "RECOLLECT_EMBEDDER_DIMENSION",
        "RECOLLECT_EMBEDDER_SECONDS",
        "RECOLLECT_LLM_SECONDS",
    ],
)
def test_a_number_of_too_many_digits_to_read_is_refused(variable: str):
    settings = Settings({"RECOLLECT_EMBEDDER": "http", variable: "9" * 5_000}, "linux")
    with pytest.raises(RecollectError, match=f"{variable} is 999"):
        settings.port(), settings.embedding(), settings.learning()

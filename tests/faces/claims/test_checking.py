"""Evidence compared with what it refers to: reports, and changes nothing."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.faces.claims.compared import HASH, HERE, TEXT, Store, outcomes
from tests.faces.claims.conftest import Wait, claim

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError
from recollect.faces.claims import (
    Checker,
    EvidenceRef,
    SQLiteKnowledgeStore,
    from_artifact,
    from_file,
    from_human_assertion,
    from_message,
    from_model_inference,
    from_tool_result,
)
from recollect.faces.operations import Operations
from recollect.model import Delete, PutConcept, Rows


@pytest.fixture
def repo(tmp_path: Path) -> tuple[Path, str]:
    """A repository with one commit, after which its file was changed."""
    folder = tmp_path / "repo"
    folder.mkdir()

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b.c", *words],
            check=True,
            capture_output=True,
            text=True,
        )
        return done.stdout.strip()

    git("init", "-q")
    (folder / "saga.py").write_bytes(TEXT)
    (folder / "lib").mkdir()
    (folder / "lib" / "a.py").write_bytes(TEXT)
    git("add", "saga.py", "lib")
    git("commit", "-q", "-m", "it")
    commit = git("rev-parse", "HEAD")
    (folder / "saga.py").write_text("something else")
    return folder, commit


@HERE
def test_a_file_is_there_with_its_hash(store: Store, wait: Wait, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(TEXT)
    found = outcomes(
        store,
        wait,
        Checker(tmp_path),
        from_file("a.py"),
        from_file("b.py"),
        EvidenceRef("file", path="a.py", content_hash=f"sha256:{HASH.upper()}"),
        EvidenceRef("file", path="a.py", content_hash="0" * 64),
        EvidenceRef("file", path="a.py", content_hash="abc"),
        EvidenceRef("file", path="a.py", content_hash="x" * 64),
        EvidenceRef("file", path="../secret.py"),
        EvidenceRef("file", path="/etc/passwd"),
        EvidenceRef("file"),
    )
    assert found == ["confirmed", "refuted", "confirmed", "refuted", *["unknown"] * 5]


@HERE
def test_a_folder_that_is_not_there_refutes_nothing(
    store: Store, wait: Wait, tmp_path: Path
) -> None:
    absent = tmp_path / "absent"
    found = outcomes(
        store,
        wait,
        Checker(absent, {"acme/payments": absent}),
        from_file("a.py"),
        from_file("a.py", "acme/payments", "f" * 40),
    )
    assert found == ["unknown", "unknown"]


@HERE
def test_a_file_was_there_at_its_commit(store: Store, wait: Wait, repo: tuple[Path, str]) -> None:
    folder, commit = repo
    name = "acme/payments"
    found = outcomes(
        store,
        wait,
        Checker(repos={name: folder}),
        from_file("saga.py", name, commit),
        EvidenceRef("file", path="saga.py", repo=name, commit_sha=commit[:10], content_hash=HASH),
        EvidenceRef("file", path="saga.py", repo=name, commit_sha=commit, content_hash="0" * 64),
        from_file("other.py", name, commit),
        from_file("saga.py", name, "f" * 40),
        from_file("saga.py", name, "--help"),
        from_file("saga.py", "acme/other", commit),
    )
    assert found == ["confirmed", "confirmed", "refuted", "refuted", *["unknown"] * 3]


@HERE
def test_a_file_at_a_commit_is_one_of_the_folder_that_is_named(
    store: Store, wait: Wait, repo: tuple[Path, str]
) -> None:
    folder, commit = repo
    paths = ("a.py", "../lib/a.py", "../saga.py", "saga.py", "lib/a.py", str(folder / "lib/a.py"))
    evidence = [EvidenceRef("file", path=one, commit_sha=commit) for one in paths]
    found = outcomes(store, wait, Checker(folder / "lib"), *evidence)
    assert found == ["confirmed", "confirmed", "unknown", "refuted", "refuted", "confirmed"]


@HERE
def test_a_repository_that_a_hook_names_is_not_asked(
    store: Store,
    wait: Wait,
    repo: tuple[Path, str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    folder, commit = repo
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    monkeypatch.setenv("GIT_DIR", str(folder / ".git"))
    ref = EvidenceRef("file", path="saga.py", commit_sha=commit)
    assert outcomes(store, wait, Checker(other), ref) == ["unknown"]


@HERE
@pytest.mark.parametrize("variable", ["GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"])
def test_how_the_environment_reads_paths_changes_no_path(
    store: Store,
    wait: Wait,
    repo: tuple[Path, str],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    folder, commit = repo
    monkeypatch.setenv(variable, "1")
    there = EvidenceRef("file", path="saga.py", commit_sha=commit)
    gone = EvidenceRef("file", path="SAGA.py", commit_sha=commit)
    assert outcomes(store, wait, Checker(folder), there, gone) == ["confirmed", "refuted"]


@HERE
def test_a_git_that_cannot_tell_refutes_nothing(
    store: Store, wait: Wait, repo: tuple[Path, str], tmp_path: Path
) -> None:
    folder, commit = repo
    told = ["git", "-C", str(folder), "rev-parse", f"{commit}:saga.py", f"{commit}:lib"]
    ids = subprocess.run(told, check=True, capture_output=True, text=True).stdout.split()
    for one in ids:
        (folder / ".git" / "objects" / one[:2] / one[2:]).unlink()
    (tmp_path / "empty").mkdir()
    found = outcomes(
        store,
        wait,
        Checker(folder, {"no/repository": tmp_path / "empty"}),
        EvidenceRef("file", path="saga.py", commit_sha=commit, content_hash=HASH),
        from_file("lib/a.py", commit=commit),
        from_file("saga.py", "no/repository", commit),
        from_file("saga.py", commit=commit),
        from_file("gone.py", commit=commit),
        from_file("lib", commit=commit),
        from_file(".", commit=commit),
    )
    assert found == [*["unknown"] * 3, "confirmed", *["refuted"] * 3]
    said = [one.message for one in wait(store.check("c", Checker(folder)))]
    assert all("cannot be checked: git says: " in one for one in said[:2])


@HERE
def test_what_a_clone_left_out_is_not_fetched(
    store: Store, wait: Wait, repo: tuple[Path, str], tmp_path: Path
) -> None:
    folder, commit = repo

    def git(at: Path, *words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(at), *words], check=True, capture_output=True, text=True
        )
        return done.stdout

    git(folder, "config", "uploadpack.allowFilter", "true")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    asked = ("clone", "-q", "--no-checkout", "--filter=blob:none")
    git(tmp_path, *asked, folder.as_uri(), "part")
    part = tmp_path / "part"
    left_out = ("rev-list", "--objects", "--all", "--missing=print")
    before = git(part, *left_out)
    assert "?" in before
    found = outcomes(
        store,
        wait,
        Checker(part),
        EvidenceRef("file", path="saga.py", commit_sha=commit, content_hash=HASH),
        from_file("lib/a.py", commit=commit),
        from_file("gone.py", commit=commit),
    )
    assert found == ["unknown", "confirmed", "refuted"]
    assert git(part, *left_out) == before


@pytest.mark.parametrize("store", ["memory"], indirect=True)
def test_what_is_too_large_is_not_compared(store: Store, wait: Wait, tmp_path: Path) -> None:
    size = 200 * 2**20 + 1
    with (tmp_path / "large").open("wb") as file:
        file.truncate(size)
    git = ("git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "-c", "core.compression=1", "add", "large"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "it"], check=True)
    told = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    here = EvidenceRef("file", path="large", content_hash="0" * 64)
    then = replace(here, commit_sha=told.stdout.strip())
    assert outcomes(store, wait, Checker(tmp_path), here, then) == ["unknown"] * 2
    for report in wait(store.check("c", Checker(tmp_path))):
        assert f"is too large, {size} bytes" in report.message


CIRCLE = "unknown" if sys.version_info < (3, 13) else "refuted"
"""What is told of a link in a circle: from Python 3.13 on its path is no file."""


@HERE
def test_links_that_lead_in_a_circle_cannot_be_read(
    store: Store, wait: Wait, tmp_path: Path
) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    checker = Checker(tmp_path, {"in/a/circle": tmp_path / "a"})
    evidence = from_file("a"), from_file("x", "in/a/circle")
    assert outcomes(store, wait, checker, *evidence) == [CIRCLE, "unknown"]


@HERE
def test_a_message_that_was_deleted_is_confirmed_no_longer(store: Store, wait: Wait) -> None:
    store.nexus.write([PutConcept("Message", "hello", id="m")])
    assert outcomes(store, wait, Checker(), from_message("s", "m")) == ["confirmed"]
    store.nexus.write([Delete("m")])
    assert outcomes(store, wait, Checker(), from_message("s", "m")) == ["unknown"]


LOCKS = """
import fcntl, sys
for name, start in (("", 0x40000002), ("-shm", 128)):  # SQLite's, of those who read
    with open(sys.argv[1] + name, "r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, start)
        except BlockingIOError:
            print("locked")
"""


@pytest.mark.sqlite_only("looks at the locks of a file")
@pytest.mark.skipif(sys.platform == "win32", reason="locks of files are POSIX's")
def test_checking_leaves_every_memory_its_locks(wait: Wait, tmp_path: Path) -> None:
    paths = [tmp_path / "own.db", tmp_path / "other.db"]
    stores = [SQLiteKnowledgeStore(one) for one in paths]
    evidence = [
        EvidenceRef("file", path=path.name + end, content_hash="0" * 64)
        for path in paths
        for end in ("", "-shm", "-wal")
    ]
    wait(stores[1].write_claim(claim()))
    assert outcomes(stores[0], wait, Checker(tmp_path), *evidence) == ["refuted"] * 6
    for path in paths:
        asked = [sys.executable, "-c", LOCKS, str(path)]
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        assert said.splitlines() == ["locked"] * 2
    for store in stores:
        store.close()


@HERE
def test_messages_and_artifacts_are_known_where_the_memory_has_them(
    store: Store, wait: Wait
) -> None:
    added = Operations(store.nexus).add_episodes(
        group_id=store.nexus.group_name,
        items=[
            {
                "uuid": "message-1",
                "body": "hello",
                "source": "text",
                "reference_time": "2026-01-01T00:00:00Z",
            }
        ],
    )
    assert added["status"] == "ACCEPTED"
    found = outcomes(
        store,
        wait,
        Checker(),
        from_message("s", "message-1"),
        from_message("s", "message-2"),
        from_artifact("report"),
        from_tool_result("t"),
        from_model_inference("s", "m", "r"),
        from_human_assertion("ann", 1.0),
    )
    assert found == ["confirmed", *["unknown"] * 5]


@HERE
def test_what_is_no_message_confirms_none(store: Store, wait: Wait, tmp_path: Path) -> None:
    wait(store.write_claim(claim(id="c0")))
    store.nexus.write("""
        UPSERT {
          CONCEPT { {type: "Artifact", name: "report"} }
          CONCEPT { {type: "Message", name: "hello"} }
        }
    """)
    (rows,) = store.nexus.read("""
        FIND(?a.id, ?m.id) WHERE { ?a {type: "Artifact"} ?m {type: "Message"} }
    """).results
    assert isinstance(rows, Rows)
    ((artifact, message),) = rows.rows
    (tmp_path / "report.md").write_bytes(TEXT)
    found = outcomes(
        store,
        wait,
        Checker(tmp_path),
        from_message("s", "c0"),
        from_message("s", message),
        from_message("s", artifact),
        from_artifact(artifact),
        from_artifact(message),
        from_artifact("c0"),
        from_artifact(artifact, "report.md"),
        from_artifact(artifact, "gone.md"),
        from_artifact("another", "report.md"),
        EvidenceRef("artifact", path="report.md"),
    )
    assert found == [
        *("unknown", "confirmed", "unknown"),
        *("confirmed", "unknown", "unknown"),
        *("confirmed", "refuted", "unknown", "confirmed"),
    ]
    said = [one.message for one in wait(store.check("c", Checker(tmp_path)))]
    assert said[0] == "c0 is a Claim, not a message"
    assert said[5] == "c0 is a Claim, not an artifact"
    assert said[8] == "report.md is there; the artifact another is not in this memory"


@HERE
def test_evidence_of_every_transition_is_checked_once(
    store: Store, wait: Wait, tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_bytes(TEXT)
    wait(store.write_claim(claim(id="c", evidence=[from_file("a.py")])))
    wait(store.transition("c", "verified", evidence=[from_file("a.py"), from_file("b.py")]))
    wait(store.transition("c", "disputed", evidence=[from_file("gone.py"), from_file("b.py")]))
    reports = wait(store.check("c", Checker(tmp_path)))
    assert [(one.evidence.path, one.outcome) for one in reports] == [
        ("a.py", "confirmed"),
        ("b.py", "refuted"),
        ("gone.py", "refuted"),
    ]


@HERE
def test_a_folder_is_no_file(store: Store, wait: Wait, repo: tuple[Path, str]) -> None:
    folder, commit = repo
    (folder / "link").symlink_to("lib")
    evidence = from_file("lib"), from_file("link"), from_file("lib", "r", commit)
    checker = Checker(folder, {"r": folder})
    assert outcomes(store, wait, checker, *evidence) == ["refuted"] * 3
    said = [one.message for one in wait(store.check("c", checker))]
    assert said == ["lib is not a file", "link is not a file", f"lib is not a file at {commit}"]


@HERE
def test_where_links_and_submodules_of_a_commit_lead_is_not_known(
    store: Store, wait: Wait, repo: tuple[Path, str]
) -> None:
    folder, commit = repo
    (folder / "link.py").symlink_to("saga.py")
    (folder / "link").symlink_to("lib")
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    submodule = ["update-index", "--add", "--cacheinfo", f"160000,{commit},lib/sub"]
    for words in (["add", "-A"], submodule, ["commit", "-qm", "links"]):
        subprocess.run([*git, *words], check=True)
    done = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    (folder / "link").unlink()
    (folder / "link").mkdir()
    paths = "link.py", "link/a.py", "lib/sub/a.py", "lib/sub", "lib/a.py/a.py", "lib/a.py"
    evidence = [from_file(one, commit=done.stdout.strip()) for one in paths]
    inside = from_file("a.py", "link", done.stdout.strip())
    checker = Checker(folder, {"link": folder / "link"})
    found = outcomes(store, wait, checker, inside, *evidence)
    assert found == [*["unknown"] * 4, *["refuted"] * 2, "confirmed"]


@HERE
def test_a_claim_that_is_not_there_cannot_be_checked(store: Store, wait: Wait) -> None:
    with pytest.raises(RecollectError) as caught:
        wait(store.check("nobody"))
    assert caught.value.code is RESOURCE_NOT_FOUND

"""Evidence compared with what it refers to: reports, and changes nothing."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tests.faces.claims.conftest import Wait, claim

from recollect.errors import (
    INVALID_ARGUMENT,
    PERMISSION_DENIED,
    RESOURCE_NOT_FOUND,
    UNAVAILABLE,
    Code,
    RecollectError,
)
from recollect.faces.claims import (
    Checker,
    EvidenceRef,
    NexusKnowledgeStore,
    SQLiteKnowledgeStore,
    from_artifact,
    from_file,
    from_human_assertion,
    from_message,
    from_model_inference,
    from_tool_result,
    from_url,
)
from recollect.faces.claims.fetching import anywhere, content_hash
from recollect.faces.operations import Operations
from recollect.model import Delete, PutConcept, Rows

Store = NexusKnowledgeStore
HERE = pytest.mark.parametrize("store", ["memory", "sqlite"], indirect=True)
TEXT = b"def compensate(): ...\n"
HASH = hashlib.sha256(TEXT).hexdigest()
OK = b"HTTP/1.1 200 OK\r\n"
DRIPS = {
    "/slow/head": (b"", OK + b"X: " + b"x" * 80 + b"\r\n\r\n"),
    "/slow/content": (OK + b"\r\n", TEXT * 5),
    "/slow/chunks": (OK + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 20 + b"0\r\n\r\n"),
    **{
        f"/slow/moves/{left}": (b"HTTP/1.1 302 Found\r\n", b"Location: %d\r\n\r\n" % (left - 1))
        for left in range(1, 5)
    },
    "/slow/moves/0": (OK + b"\r\n" + TEXT, b""),
}
"""What is answered slowly: what is sent at once, and what comes a byte at a time after it."""


class Site(BaseHTTPRequestHandler):
    """Answers with a text, or leads away."""

    def do_GET(self) -> None:
        if self.path == "/page":
            self.send_response(200)
            self.end_headers()
            self.wfile.write(TEXT)
        elif self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/page")
            self.end_headers()
        elif self.path == "/round":
            self.send_response(302)
            self.send_header("Location", "/round")
            self.end_headers()
        elif self.path.startswith("/to?"):
            self.send_response(302)
            self.send_header("Location", self.path.removeprefix("/to?"))
            self.end_headers()
        elif self.path in DRIPS:
            self.drip(*DRIPS[self.path])
        else:
            self.send_response(404)
            self.end_headers()

    def drip(self, at_once: bytes, slowly: bytes) -> None:
        """Send the second part a byte at a time, for as long as anybody listens."""
        with suppress(ConnectionError):
            self.wfile.write(at_once)
            for byte in slowly:
                threading.Event().wait(0.02)
                self.wfile.write(bytes([byte]))

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Site) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


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


def outcomes(store: Store, wait: Wait, checker: Checker, *evidence: EvidenceRef) -> list[str]:
    wait(store.write_claim(claim(id="c", evidence=[*evidence])))
    before = store.nexus.stats().transactions
    reports = wait(store.check("c", checker))
    assert [one.evidence for one in reports] == [*evidence]
    assert all(one.message for one in reports)
    assert store.nexus.stats().transactions == before
    return [one.outcome for one in reports]


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
        EvidenceRef("file", path="../secret.py"),
        EvidenceRef("file", path="/etc/passwd"),
        EvidenceRef("file"),
    )
    assert found == ["confirmed", "refuted", "confirmed", "refuted", *["unknown"] * 4]


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
def test_a_url_is_fetched_only_when_asked(store: Store, wait: Wait, site: str) -> None:
    evidence = (
        from_url(f"{site}/page", content_hash=HASH),
        from_url(f"{site}/moved", content_hash="0" * 64),
        from_url(f"{site}/page"),
        from_url(f"{site}/gone"),
    )
    asked = Checker(fetch=True, allow_private=True)
    assert outcomes(store, wait, asked, *evidence) == [
        "confirmed",
        "refuted",
        "confirmed",
        "unknown",
    ]
    (report, *_) = wait(store.check("c", Checker()))
    assert "was not fetched" in report.message


@HERE
def test_private_addresses_are_refused_unless_allowed(store: Store, wait: Wait, site: str) -> None:
    evidence = from_url(f"{site}/page", content_hash=HASH)
    assert outcomes(store, wait, Checker(fetch=True), evidence) == ["unknown"]
    (report,) = wait(store.check("c", Checker(fetch=True)))
    assert "not a public address" in report.message


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://127.0.0.1/", PERMISSION_DENIED),
        ("http://localhost:99/", PERMISSION_DENIED),
        ("http://[::1]/", PERMISSION_DENIED),
        ("http://169.254.169.254/latest", PERMISSION_DENIED),
        ("http://10.0.0.1/", PERMISSION_DENIED),
        ("http://[::ffff:127.0.0.1]/", PERMISSION_DENIED),
        ("http://[::127.0.0.1]/", PERMISSION_DENIED),
        ("http://[64:ff9b::7f00:1]/", PERMISSION_DENIED),
        ("http://[64:ff9b::a9fe:a9fe]/", PERMISSION_DENIED),
        ("http://[64:ff9b:1::a00:1]/", PERMISSION_DENIED),
        ("http://[2002:7f00:1::]/", PERMISSION_DENIED),
        ("http://[2002:a00:1::1]/", PERMISSION_DENIED),
        ("http://[::ffff:0:7f00:1]/", PERMISSION_DENIED),
        ("http://[fec0::1]/", PERMISSION_DENIED),
        ("http://224.0.0.1/", PERMISSION_DENIED),
        ("http://192.0.0.192/", PERMISSION_DENIED),
        ("http://168.63.129.16/", PERMISSION_DENIED),
        ("file:///etc/passwd", INVALID_ARGUMENT),
        ("ftp://example.org/", INVALID_ARGUMENT),
        ("http:///nowhere", INVALID_ARGUMENT),
        ("http://a b/", INVALID_ARGUMENT),
        ("http://x/\r\nHost: y", INVALID_ARGUMENT),
        ("http://x:99999/", INVALID_ARGUMENT),
        ("http://a..b/x", UNAVAILABLE),
        (f"http://{'a' * 64}.example/", UNAVAILABLE),
    ],
)
def test_no_url_leads_inside(url: str, code: Code) -> None:
    with pytest.raises(RecollectError) as caught:
        content_hash(url)
    assert caught.value.code is code


@pytest.mark.parametrize("inside", ["127.0.0.2", "[::1]", "[::ffff:127.0.0.1]"])
def test_no_redirect_leads_inside(site: str, inside: str) -> None:
    def is_open(address: str) -> bool:
        return address == "127.0.0.1"  # which stands for all that is public

    hop = f"{site}/to?"
    assert content_hash(f"{hop}{hop}{site}/page", is_open) == HASH
    port = site.rpartition(":")[2]
    for way in (hop, hop + hop, f"{site}/to?//"):
        target = f"{inside}:{port}/page"
        with pytest.raises(RecollectError) as caught:
            content_hash(f"{way}{target if way.endswith('//') else f'http://{target}'}", is_open)
        assert caught.value.code is PERMISSION_DENIED


@pytest.mark.parametrize("path", ["/round", "/gone", "/to?http://[bad"])
def test_what_does_not_answer_is_unavailable(site: str, path: str) -> None:
    with pytest.raises(RecollectError) as caught:
        content_hash(site + path, anywhere)
    assert caught.value.code is UNAVAILABLE


@pytest.mark.parametrize("path", ["head", "content", "chunks", "moves/4"])
def test_what_answers_too_slowly_is_given_up(site: str, path: str) -> None:
    with pytest.raises(RecollectError) as caught:
        content_hash(f"{site}/slow/{path}", anywhere, within=0.5)
    assert caught.value.code is UNAVAILABLE
    assert "TimeoutError" in caught.value.message


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
def test_where_a_symbolic_link_of_a_commit_leads_is_not_known(
    store: Store, wait: Wait, repo: tuple[Path, str]
) -> None:
    folder, _ = repo
    (folder / "link.py").symlink_to("saga.py")
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["add", "-A"], ["commit", "-qm", "a link"]):
        subprocess.run([*git, *words], check=True)
    done = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    ref = EvidenceRef("file", path="link.py", commit_sha=done.stdout.strip(), content_hash=HASH)
    assert outcomes(store, wait, Checker(folder), ref) == ["unknown"]


@HERE
def test_a_claim_that_is_not_there_cannot_be_checked(store: Store, wait: Wait) -> None:
    with pytest.raises(RecollectError) as caught:
        wait(store.check("nobody"))
    assert caught.value.code is RESOURCE_NOT_FOUND

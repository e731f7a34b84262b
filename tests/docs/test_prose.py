"""Links, fragments, the lock and paths hold, and the check sees when they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from check_docs import ROOT, problems


def test_the_repository_holds_together() -> None:
    assert list(problems(ROOT)) == []


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("a.md", "[b](b.md)", "a.md: link to b.md: there is no such file"),
        ("a.md", "![b](b.svg)", "a.md: link to b.svg: there is no such file"),
        ("a.md", "# One\n[b](#two)", "a.md: link to #two: there is no such heading"),
        ("requirements.lock", "apsw", "requirements.lock: line 1 is not a pin: apsw"),
        ("a.py", "open('/" + "home/me/x')", "a.py: line 1 names a path of one machine: open('/" + "home/me/x')"),
        ("changelog.d/7.added.md", "It is.", "changelog.d/7.added.md: name it +what-changed.added.md (or changed, fixed, removed)"),
        ("changelog.d/+it.fixed.md", "It is", "changelog.d/+it.fixed.md: write whole sentences: it does not end in a full stop"),
    ],
)  # fmt: skip
def test_what_does_not_hold_is_named(tmp_path: Path, name: str, text: str, problem: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert list(problems(tmp_path)) == [problem]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "# One: two\n[b](#one-two) [c](a.md) [d](https://example.org)\n```\n[x](y)\n```"),
        ("requirements.lock", "apsw==3.54.1.0\ncolorama==0.4.6 ; sys_platform == 'win32'\n"),
        ("changelog.d/+it-works.fixed.md", "It is.\n"),
    ],
)
def test_what_holds_is_left_alone(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    assert list(problems(tmp_path)) == []

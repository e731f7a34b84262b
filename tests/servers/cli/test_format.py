"""The formatter rewrites files whole, and only those that are the language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SLOPPY = '\ufeff// drugs\nFIND(?d)WHERE{?d{type:"Drug"} // all\n}\r\n'
NEAT = '// drugs\nFIND(?d)\nWHERE {\n  ?d {type: "Drug"} // all\n}\n'


@pytest.fixture
def sloppy(tmp_path: Path) -> Path:
    file = tmp_path / "sloppy.kip"
    file.write_bytes(SLOPPY.encode())
    return file


def test_a_file_is_laid_out_in_place_once(cli, sloppy):
    sloppy.chmod(0o640)
    first = cli("fmt", str(sloppy))
    assert (first.exit_code, "1 file formatted" in first.stdout) == (0, True)
    assert sloppy.read_text(encoding="utf-8") == NEAT
    assert sloppy.stat().st_mode & 0o777 == 0o640
    before = sloppy.stat().st_mtime_ns
    assert "0 files formatted, 1 file unchanged" in cli("fmt", str(sloppy)).stdout
    assert sloppy.stat().st_mtime_ns == before
    assert [one.name for one in sloppy.parent.iterdir()] == ["sloppy.kip"]


def test_a_link_to_a_file_stays_a_link(cli, sloppy, tmp_path):
    link = tmp_path / "link.kip"
    link.symlink_to(sloppy)
    assert cli("fmt", str(link)).exit_code == 0
    assert link.is_symlink()
    assert sloppy.read_text(encoding="utf-8") == NEAT


@pytest.mark.parametrize("words", [["fmt"], ["fmt", "-"]])
def test_standard_input_goes_to_standard_output(cli, words):
    assert cli(*words, input=SLOPPY.encode()).stdout == NEAT


def test_a_check_or_a_difference_writes_nothing(cli, sloppy):
    checked = cli("fmt", "--check", str(sloppy))
    assert (checked.exit_code, f"would format {sloppy}" in checked.stdout) == (1, True)
    difference = cli("fmt", "--diff", str(sloppy))
    assert difference.exit_code == 0
    assert '+  ?d {type: "Drug"} // all\n' in difference.stdout
    assert cli("fmt", "--diff", "--check", str(sloppy)).exit_code == 1
    assert sloppy.read_bytes() == SLOPPY.encode()
    assert cli("fmt", "--check", "-", input=NEAT).exit_code == 0


def test_a_file_that_is_not_the_language_stays_and_the_others_are_formatted(cli, sloppy, tmp_path):
    broken = tmp_path / "broken.kip"
    broken.write_text("FIND ?x", encoding="utf-8")
    done = cli("fmt", str(broken), str(tmp_path / "none.kip"), str(sloppy))
    assert done.exit_code == 1
    assert "KIP_1001" in done.stderr
    assert "none.kip: No such file or directory" in done.stderr
    assert "1 file formatted, 0 files unchanged, 2 files with errors" in done.stdout
    assert broken.read_text(encoding="utf-8") == "FIND ?x"
    assert sloppy.read_text(encoding="utf-8") == NEAT


def test_the_json_tells_of_each_file(cli, sloppy, tmp_path):
    broken = tmp_path / "broken.kip"
    broken.write_text("FIND ?x", encoding="utf-8")
    done = cli("fmt", "--json", str(sloppy), str(broken), "-", input=NEAT)
    first, second, third = json.loads(done.stdout)["result"]["files"]
    assert done.exit_code == 1
    assert first == {"file": str(sloppy), "changed": True}
    assert second["error"]["code"] == "KIP_1001"
    assert third == {"file": "-", "changed": False, "text": NEAT}

"""How little a start loads, and what Ctrl-C says meanwhile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import recollect

LOADED = """
import atexit, sys
atexit.register(lambda: print("loaded:", *sorted(sys.modules)))
"""
HELP = "sys.argv = ['recollect', '--help']; from recollect.__main__ import main; main()"
STOPPING = """
import os, signal, sys

_, module, *words = sys.argv

class Stop:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Stop())
from recollect.__main__ import main
sys.argv = ["recollect", *words]
main()
"""


def loaded(program: str) -> set[str]:
    """The modules that a program has loaded at its end."""
    command = [sys.executable, "-c", LOADED + program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("loaded:")[2].split())


def test_an_import_and_help_load_nothing_of_the_kernel():
    own = {one for one in loaded("import recollect") if one.startswith("recollect")}
    assert own == {"recollect"}
    heavy = {"recollect.kernel", "recollect.model", "pydantic", "apsw", "numpy", "mcp", "httpx"}
    assert not heavy & loaded(HELP)


def test_every_name_is_there_when_it_is_asked_for():
    assert set(recollect.__all__) <= set(dir(recollect))
    assert all(getattr(recollect, one) for one in recollect.__all__)
    assert recollect.model.Key is recollect.Key
    with pytest.raises(AttributeError, match="'recollect' has no attribute 'Nexsus'"):
        _ = recollect.Nexsus


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("recollect.servers.cli.app", ("--help",)),
        ("rich.console", ("init", "m.db")),
        ("recollect.kernel.nexus", ("init", "m.db")),
        ("mcp.server.lowlevel", ("mcp", "--db", "m.db")),
    ],
)
def test_ctrl_c_while_modules_load_is_one_line(tmp_path, module: str, words: tuple[str, ...]):
    command = [sys.executable, "-c", STOPPING, module, *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.startswith("stopped")
    assert done.stderr.count("\n") == 1


def test_hardly_anything_is_loaded_before_ctrl_c_is_one_line():
    bare = [sys.executable, "-I", "-S", "-c"]
    told = "import sys; sys.path.insert(0, sys.argv[1]); import recollect; print('typing' in sys.modules)"
    source = str(Path(recollect.__file__).parents[1])
    done = subprocess.run([*bare, told, source], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

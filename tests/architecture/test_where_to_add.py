"""What ARCHITECTURE says of where to add things is true: a toy is added so, and nothing else."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"


def edited(source: Path, name: str, before: str, added: str) -> None:
    """Put a text in front of the only place where another stands."""
    path = source / "recollect" / "kernel" / name
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, added + before), encoding="utf-8")


def ran(source: Path, program: str) -> object:
    """What a program prints that runs on an edited copy of the sources."""
    command = [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {str(source)!r})"]
    command[-1] += f"\n{program}"
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


TOY = """
import json, recollect
from lsprotocol.types import Position
from pygments.token import Name
from recollect.kernel import format_text, meaning_of, syntax_card
from recollect.servers.cli.lexer import KipLexer
from recollect.servers.lsp.answers import completions
from recollect.servers.lsp.answers import Vocabulary

ask = 'FIND(?d.name) WHERE { ?d {type: "Drug"} FILTER(AS_LONG_AS(?d.name, "xxxx")) }'
with recollect.open(":memory:") as nexus:
    for name in ("Abcd", "Abc", "Wxyz"):
        nexus.write('UPSERT { CONCEPT { {type: "Drug", name: $name} } }', {"name": name})
    rows = nexus.read(ask).results[0].rows
    try:
        nexus.read(ask.replace("AS_LONG_AS", "AS_LONGAS"))
    except recollect.RecollectError as error:
        hint = error.hint
begun = "FIND(?d) WHERE { FILTER(AS_L"
print(json.dumps({
    "rows": sorted(rows),
    "hint": hint,
    "layout": "AS_LONG_AS(" in format_text(ask),
    "hover": meaning_of("AS_LONG_AS").text,
    "proposed": [one.label for one in completions(begun, Position(0, len(begun)), Vocabulary())],
    "colour": (Name.Function, "AS_LONG_AS") in list(KipLexer().get_tokens(ask)),
    "card": "AS_LONG_AS" in syntax_card(),
}))
"""


def test_a_test_of_two_texts_is_a_row_of_words_and_a_line_of_sql(tmp_path: Path) -> None:
    source = shutil.copytree(SOURCE, tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    row = """AS_LONG_AS | test of two texts | Recollect
AS_LONG_AS(?value, "other")
Is true if a text has as many characters as another.\n\n"""
    edited(source, "lang/words.txt", "IN | test |", row)
    edited(
        source,
        "store/sqlite/dialect.py",
        '        "bare": ',
        '        "as_long_as": "(length({}) = length({}))",\n',
    )
    assert ran(source, TOY) == {
        "rows": [["Abcd"], ["Wxyz"]],
        "hint": "use AS_LONG_AS",
        "layout": True,
        "hover": "Is true if a text has as many characters as another.",
        "proposed": ["AS_LONG_AS"],
        "colour": True,
        "card": True,
    }

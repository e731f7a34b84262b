"""What is said about bad texts, as a person sees it: `messages/*.txt`, a text and its message each.

`pytest --update` writes the messages anew; read what changed before you keep it. The files in
`to_improve` hold messages that help too little, each with the one that is wanted, after `wanted:`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.errors import RecollectError
from recollect.kernel.lang import parse

FOLDER = Path(__file__).parent / "messages"
FILES = sorted(FOLDER.rglob("*.txt"))
BETWEEN = "\n\n----\n\n"
WANTED = "\nwanted: "


def shown(text: str) -> str:
    """How a text is refused, and its mending if there is one."""
    with pytest.raises(RecollectError) as refused:
        parse(text)
    error = refused.value
    if error.fix is None:
        return str(error)
    return f"{error}\n  mended: {error.fix.apply(text)}"


def said_anew(entry: str) -> str:
    """An entry with the message that its text is given now; what is wanted stays."""
    text, _, told = entry.partition("\nKIP_")
    _, mark, wanted = told.partition(WANTED)
    return f"{text}\n{shown(text)}{mark}{wanted}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_text_is_told_what_its_file_says(path: Path, pytestconfig: pytest.Config) -> None:
    title, *entries = path.read_text(encoding="utf-8").rstrip("\n").split(BETWEEN)
    said = BETWEEN.join([title, *map(said_anew, entries)]) + "\n"
    if pytestconfig.getoption("--update"):
        path.write_text(said, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == said


def test_no_text_stands_in_two_files() -> None:
    pages = (path.read_text(encoding="utf-8").split(BETWEEN)[1:] for path in FILES)
    texts = [entry.partition("\nKIP_")[0] for page in pages for entry in page]
    assert len(set(texts)) == len(texts) > 180


def test_a_message_is_wanted_where_one_is_to_improve_and_nowhere_else() -> None:
    for path in FILES:
        entries = path.read_text(encoding="utf-8").split(BETWEEN)[1:]
        is_wanted = path.stem == "to_improve"
        assert [WANTED in entry for entry in entries] == [is_wanted] * len(entries), path.stem

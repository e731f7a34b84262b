"""The language server as an editor meets it: over standard input and output."""

from __future__ import annotations

import postgres
import recollect

WELL = 'FIND(?d)\nWHERE {\n  ?d {type: "Drug"}\n}\n'


def applied(text: str, edits: list[dict]) -> str:
    """The text after the edits of an answer, which do not overlap."""
    lines = text.split("\n")
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]

    def offset(place: dict) -> int:
        line = lines[place["line"]].encode("utf-16-le")[: place["character"] * 2]
        return starts[place["line"]] + len(line.decode("utf-16-le"))

    for edit in edits:
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


def test_a_text_that_is_well_has_no_diagnostics_and_the_server_leaves_when_told(start):
    editor = start()
    assert editor.write(WELL) == []
    assert editor.close() == 0


def test_all_that_is_wrong_is_told_at_once_and_no_more_once_it_is_mended(editor):
    found = editor.write("FIND(?dru)\nWHERE {\n  ?drug {type: Drug}\n}\n")
    assert [(one["code"], one["severity"]) for one in found] == [("KIP_3001", 1), ("KIP_1001", 1)]
    assert found[0]["range"] == {
        "start": {"line": 0, "character": 5},
        "end": {"line": 0, "character": 9},
    }
    assert found[0]["message"] == "variable ?dru is not bound\nuse ?drug"
    assert editor.write(WELL) == []


def test_a_doubtful_text_has_a_warning(editor):
    (found,) = editor.write('FIND(?d) WHERE { ?d {type: "Drug"} ATTR(?d, "name", ?n) }')
    assert (found["code"], found["severity"]) == ("unused_variable", 2)


def test_an_empty_text_is_not_wrong(editor):
    assert editor.write("") == []


def test_a_text_that_is_closed_has_no_diagnostics(start):
    editor = start()
    assert editor.write("FIND")
    editor.tell("textDocument/didClose", {"textDocument": {"uri": "file:///scratch/text.kip"}})
    editor.ask("textDocument/hover", {"textDocument": {"uri": "file:///scratch/b.kip"}, "position": {"line": 0, "character": 0}})  # fmt: skip
    assert editor.published[-1]["diagnostics"] == []


def test_columns_are_counted_in_utf_16_units(editor):
    text = 'FIND(?d) WHERE { ?d {name: "💊 阿司匹林"} FILTER(?d.name = "💊") }'
    (found,) = editor.write(text)
    before = text[: text.index("= ")]
    column = len(before.encode("utf-16-le")) // 2
    assert found["range"]["start"] == {"line": 0, "character": column}
    assert column == len(before) + 1


def test_only_line_ends_of_an_editor_end_a_line(editor):
    found = editor.write("FIND(?d) // \u2028 \x0b\r\nWHERE { ?d {type: Drug} }")
    assert found[0]["range"]["start"]["line"] == 1


def test_a_quick_fix_mends_the_text(editor):
    text = 'FIND(?d) WHERE { ?d {name: "💊"} FILTER(?d.name = "x") }'
    (found,) = editor.write(text)
    (action,) = editor.ask(
        "textDocument/codeAction",
        {
            "textDocument": {"uri": "file:///scratch/text.kip"},
            "range": found["range"],
            "context": {"diagnostics": [found]},
        },
    )
    (edits,) = action["edit"]["changes"].values()
    assert (action["title"], action["kind"]) == ("use ==", "quickfix")
    assert editor.write(applied(text, edits)) == []


def test_keywords_are_proposed_by_what_may_follow(editor):
    assert editor.proposals("DESCRIBE |") == ["PRIMER", "DOMAINS", "CONCEPT", "PROPOSITION"]
    assert editor.proposals("DESCRIBE CONCEPT TY|") == ["TYPE", "TYPES"]
    assert editor.proposals('FIND(?d) WHERE { ?d {type: "A"} OP|') == ["OPTIONAL"]
    assert editor.proposals('FIND(?d) WHERE { ?d {type: "A"} } LI|') == ["LIMIT"]
    assert "UPSERT" in editor.proposals("|")
    assert editor.proposals("FIND(?x) // |") == []


def test_names_of_the_text_are_proposed(editor):
    assert editor.proposals('FIND(?|) WHERE { ?drug {type: "A"} ?dose {name: $d} }') == [
        "?dose",
        "?drug",
    ]
    links = 'UPSERT { CONCEPT @aspirin { {id: "a"} } PROPOSITION { (@|, "p", @aspirin) } }'
    assert editor.proposals(links) == ["@aspirin"]
    assert "type" in editor.proposals('FIND(?drug.|) WHERE { ?drug {type: "A"} }')


def test_names_in_use_are_proposed_from_a_memory(start, tmp_path):
    path = tmp_path / "memory.db"
    with recollect.open(path) as nexus:
        nexus.write(
            'UPSERT { CONCEPT @d { {type: "Drug", name: "A"} SET ATTRIBUTES {risk_level: 1}'
            ' SET PROPOSITIONS { ("treats", @s) } } CONCEPT @s { {type: "Symptom", name: "B"} } }'
        )
        nexus.group("other").write('UPSERT { CONCEPT @x { {type: "Drudge", name: "C"} } }')
    editor = start("--db", postgres.address_of(path))
    assert editor.proposals('FIND(?d) WHERE { ?d {type: "Dr|"} }') == ["Drug"]
    assert editor.proposals('FIND(?d) WHERE { (?d, "|", ?s) }') == ["treats"]
    assert editor.proposals('FIND(?d) WHERE { ?d {type: "Drug"} ATTR(?d, "|", ?r) }') == ["risk_level"]  # fmt: skip
    assert editor.proposals('FIND(?d.attributes.|) WHERE { ?d {type: "Drug"} }') == ["risk_level"]


def test_no_names_are_proposed_without_a_memory(editor):
    assert editor.proposals('FIND(?d) WHERE { ?d {type: "|"} }') == []


def test_a_keyword_is_explained(editor):
    editor.write(WELL + "// 💊\n" + WELL)
    shown = editor.at("textDocument/hover", 1, 2)
    assert "Holds the clauses" in shown["contents"]["value"]
    assert shown["range"]["end"] == {"line": 1, "character": 5}
    assert editor.at("textDocument/hover", 2, 4) is None


def test_a_text_is_laid_out(editor):
    text = 'FIND(?d)WHERE{?d{type:"Drug"} // 💊\n}'
    editor.write(text)
    options = {"tabSize": 2, "insertSpaces": True}
    asked = {"textDocument": {"uri": "file:///scratch/text.kip"}, "options": options}
    edits = editor.ask("textDocument/formatting", asked)
    assert applied(text, edits) == 'FIND(?d)\nWHERE {\n  ?d {type: "Drug"} // 💊\n}\n'
    editor.write(applied(text, edits))
    assert editor.ask("textDocument/formatting", asked) == []
    editor.write("FIND(")
    assert editor.ask("textDocument/formatting", asked) == []

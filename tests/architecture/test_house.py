"""The figures of the house count what their names say, and each has a bound that holds."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from measure_house import (
    Bound,
    Module,
    bounds,
    comments_a_thousand,
    measure,
    modules,
    repeated,
    statements,
)

ROOT = Path(__file__).parents[2]
KNOWN, HARD = bounds(ROOT)


def module(text: str, name: str = "kernel/one.py") -> Module:
    return Module(name, text, ast.parse(text))


def test_every_figure_of_the_sources_has_a_bound_and_keeps_it() -> None:
    figures, known = measure(ROOT / "src" / "recollect", HARD), {one.name: one for one in KNOWN}
    assert [name for name, figure in figures.items() if known[name].is_broken_by(figure)] == []


def test_reading_work_care_and_the_language_hold_no_sql() -> None:
    apart = ("kernel/read/", "kernel/work/", "kernel/care/", "kernel/lang/", "kernel/plan/")
    source = ROOT / "src" / "recollect"
    holding = [
        one.name for one in modules(source) if one.name.startswith(apart) and statements(one)
    ]
    assert holding == []


@pytest.mark.parametrize(
    "text",
    [
        '_ONE = "SELECT c.id FROM concept AS c WHERE c.group_id = :group"',
        '_ONE = f"DELETE FROM {table} WHERE group_id = :group"',
        '_ONE = "UPDATE work SET state = :state"',
        '_ONE = "WITH one AS (VALUES (1)) " "TABLE one"',
        'run("INSERT OR IGNORE INTO term VALUES (?)")',
    ],
)
def test_a_statement_is_counted_once(text: str) -> None:
    assert statements(module(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        '"""SELECT c.id FROM concept AS c."""',
        '_KML = "DELETE ATTRIBUTES {\\"a\\"} FROM ?x WHERE { ?x {type: \\"T\\"} }"',
        '_HINT = "UPDATE sets metadata with SET METADATA"',
        '_HELP = "create an index from what is there"',
    ],
)
def test_what_is_no_statement_is_not_counted(text: str) -> None:
    assert statements(module(text)) == 0


def test_a_class_of_the_same_name_in_two_files_counts_once() -> None:
    one, other = module("class A: pass\nclass B: pass"), module("class A: pass")
    assert repeated([one, other, other]) == 1


def test_comments_are_counted_against_code() -> None:
    assert comments_a_thousand([module('"""A page."""\n# why\nA = 1\nB = 2\n')]) == 500


def test_a_bound_breaks_on_the_side_away_from_its_target() -> None:
    assert Bound("statements", 0, 10).is_broken_by(11)
    assert not Bound("statements", 0, 10).is_broken_by(9)
    assert Bound("comments", 20, 10, is_to_rise=True).is_broken_by(9)
    assert not Bound("comments", 20, 10, is_to_rise=True).is_broken_by(11)

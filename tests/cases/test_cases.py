"""Case files: one query and what each stage of the compiler makes of it, in one text file.

A case has a head of `# key: value` lines and the sections `query`, `plan`, `sqlite`,
`postgres` and `rows`;
`pytest tests/cases --update` rewrites all but the query from what the code prints now.
"""

from __future__ import annotations

import re
from pathlib import Path

import orjson
import pytest

import recollect
from recollect.kernel import Nexus
from recollect.kernel.lang import ast, parse
from recollect.kernel.plan.bind import Bindings, Lifting
from recollect.kernel.plan.ir import Statistics
from recollect.kernel.plan.pipeline import plan_find
from recollect.kernel.plan.show import show_plan
from recollect.kernel.sql.compile import compile_plan
from recollect.kernel.sql.rows import Clock
from recollect.kernel.store.postgres.dialect import POSTGRES
from recollect.kernel.store.sqlite.dialect import SQLITE
from recollect.model import Cell, Concept, Link, Rows

HERE = Path(__file__).parent
CAPSULE = (HERE / "graph.kip").read_text(encoding="utf-8")
COUNTS = Statistics(
    concepts={"Drug": 4, "DrugClass": 1, "Symptom": 1, "SideEffect": 1},
    links={"treats": 4, "is_class_of": 4, "has_side_effect": 1, "stated": 1, "subclass_of": 1},
    link_objects=frozenset({"stated"}),
)


def read_case(path: Path) -> dict[str, str]:
    """Split a case at its `--- name` lines; what stands before the first is its head."""
    head, *parts = re.split(r"^--- (\w+)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {"head": head, **dict(zip(parts[::2], parts[1::2], strict=True))}


def compiled(query: str) -> tuple[str, str, str]:
    """Return the plan of a FIND and its SQL in both dialects, as the pure stages make them."""
    (find,) = parse(query).statements
    assert isinstance(find, ast.Find)
    shape = ast.Find(find.columns, Lifting(Bindings({})).clauses(find.where), find.order_by)
    plan = plan_find(shape, COUNTS)
    first, second = (compile_plan(plan, COUNTS, Clock(), one).sql for one in (SQLITE, POSTGRES))
    return show_plan(plan), first, second


def shown(cell: Cell) -> str:
    """Return a cell without the ids that differ from run to run."""
    match cell:
        case Concept():
            return f"{cell.type} {cell.name}"
        case Link():
            return f"link {cell.predicate}"
        case list():
            return "[" + ", ".join(shown(one) for one in cell) + "]"
        case _:
            return orjson.dumps(cell).decode()


@pytest.fixture(scope="module")
def nexus() -> Nexus:
    """Return the graph of the cases, beside a decoy group that holds the same."""
    nexus = recollect.open(":memory:", "cases")
    nexus.group("decoy").write(CAPSULE)
    nexus.write(CAPSULE)
    return nexus


@pytest.mark.parametrize("path", sorted(HERE.rglob("*.case")), ids=lambda path: path.stem)
def test_a_case_compiles_and_answers_as_it_says(path: Path, nexus: Nexus, is_update: bool) -> None:
    case = read_case(path)
    plan, sqlite, postgres = compiled(case["query"])
    (result,) = nexus.read(case["query"]).results
    assert isinstance(result, Rows)
    rows = "\n".join(" | ".join(map(shown, row)) for row in result.rows)
    made = {
        "head": case["head"],
        "query": case["query"],
        "plan": plan + "\n",
        "sqlite": sqlite + "\n",
        "postgres": postgres + "\n",
        "rows": rows + "\n",
    }
    if is_update:
        body = "".join(f"--- {name}\n{text}" for name, text in made.items() if name != "head")
        path.write_text(made["head"] + body, encoding="utf-8")
    assert made == read_case(path)

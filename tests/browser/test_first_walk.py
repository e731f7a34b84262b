"""A new user on the memory of `recollect demo`: six questions, each answered where one looks first."""

from __future__ import annotations

from recollect.faces.memory import Memory
from recollect.kernel import Nexus
from recollect.model import Rows
from recollect.servers.cli.demo.show import calls

MOST_ACTS = 4
"""What a person presses or types for one question."""


class Walk:
    """A person at the page: every act is counted."""

    def __init__(self, page) -> None:
        self.page = page
        self.acts = 0

    def click(self, role: str, name: str, **more: object) -> None:
        self.acts += 1
        self.page.get_by_role(role, name=name, **more).first.click()

    def type(self, label: str, text: str) -> None:
        self.acts += 1
        self.page.get_by_label(label).first.fill(text)

    def unfold(self, name: str) -> None:
        self.acts += 1
        self.page.locator("summary", has_text=name).click()

    def reads(self, words: str) -> None:
        """See the answer, and begin the next question."""
        self.page.get_by_text(words).first.wait_for()
        assert self.acts <= MOST_ACTS, words
        self.acts = 0


def works_at(nexus: Nexus) -> list[object]:
    (rows,) = nexus.read('FIND(?o.name) WHERE { ({name: "Maria"}, "works_at", ?o) }').results
    assert isinstance(rows, Rows)
    return sorted(row[0] for row in rows.rows)


def test_a_new_user_learns_why_since_when_what_before_puts_it_right_and_undoes_it(
    page, nexus: Nexus
):
    with Memory(nexus, actor="demo") as memory:
        list(calls(memory))
    walk = Walk(page)
    page.goto("/")
    walk.type("Ask in plain words", "What does this memory know about Maria?")
    walk.click("button", "Ask", exact=True)
    walk.reads("Maria works at Audi")  # what it knows
    walk.click("link", "Maria works at Audi", exact=True)
    walk.reads("by demo")  # why
    walk.reads("True since 2024-05-01")  # since when
    walk.reads("Maria works at BMW")  # what it believed before
    walk.unfold("Correct")
    walk.type("by name or id", "Rimac")
    walk.click("button", "Show what it does")
    walk.click("button", "Keep it")
    walk.reads("Kept as transaction")  # put right
    assert works_at(nexus) == ["Rimac", "Siemens"]
    walk.click("button", "Undo the last change")
    walk.click("button", "Keep it")
    walk.reads("Kept as transaction")  # undone
    assert works_at(nexus) == ["Audi", "Siemens"]

"""The child of the crash test of workflows: runs one after another, and says what was accepted.

Each run has two steps. The first calls a function that is not idempotent, which notes its key in
a file, and then creates a node; the second ends the run. An exchange is asked and answered beside.
"""

from __future__ import annotations

import os
import sys

import recollect
from recollect.faces.markup import Functions, Markup

FLOW = "- WORKFLOW ID: w\n  - ID: s1\n    Use function: note\n  - ID: s2\n"
CALL = 'Context: workflow\nResponse: action\nAction: note {"Text": "x"}\n'
DATA = (
    "Context: workflow\nResponse: data\nData:\n- ID: s1\n  - ID: new-1 [created]\n    Label: Done\n"
)
END = "Context: workflow\nResponse: Finished workflow\n"
ANSWER = "Context: command\nResponse: data\nData:\n- ID: new-1 [created]\n  Label: Said\n"


def functions(notes: str) -> Functions:
    """Return the one function, which notes the key of its call in a file."""
    made = Functions()

    def note(_: object, call: object) -> str:
        with open(notes, "a", encoding="utf-8") as file:
            file.write(f"{call.key}\n")  # type: ignore[attr-defined]
            file.flush()
            os.fsync(file.fileno())
        return "noted"

    made.register("note", note, arguments={"Text": "text"})
    return made


def say(*words: object) -> None:
    """Acknowledge what was accepted."""
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def main(path: str, notes: str) -> None:
    with recollect.open(path) as nexus:
        markup = Markup(nexus, functions=functions(notes))
        markup.publish("note")
        markup.load(FLOW)
        while True:
            run = markup.runner.start("w")
            say("started", run.id)
            markup.runner.reply(run.id, CALL)
            say("called", run.id)
            markup.runner.reply(run.id, DATA)
            say("stepped", run.id)
            markup.runner.reply(run.id, END)
            say("finished", run.id)
            exchange = markup.exchanges.begin("Say it.", root="s2")
            say("begun", exchange.id)
            markup.exchanges.answer(exchange.id, ANSWER)
            say("answered", exchange.id)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])

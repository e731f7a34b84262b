"""Where texts come from: the prompt of a terminal, or lines piped in."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from prompt_toolkit.output import Output as Screen

from recollect.servers.cli.lexer import KipLexer
from recollect.servers.cli.opening import opened
from recollect.servers.cli.options import Invocation
from recollect.servers.cli.output import output
from recollect.servers.cli.shell.completion import (
    KipCompleter,
    TextState,
    only_asks,
    state_of,
    without_end,
)
from recollect.servers.cli.shell.conversation import NAMES, Conversation, greeting, is_command_line
from recollect.servers.settings import Settings


def talk(on: Invocation) -> None:
    """Hold a conversation until the input ends; exit code 1 if a piped text failed."""
    settings = Settings()
    located = settings.database(on.database)
    with output(on, is_shell=True) as out:
        chosen = settings.group(on.group)
        is_new = not located.exists
        with opened(on, create=True) as nexus:
            conversation = Conversation(nexus, chosen, out, settings.actor(on.actor))
            if sys.stdin.isatty():
                out.say(greeting(conversation, located.shown, is_new=is_new), "dim")
                converse(conversation, prompt(conversation, history_in(settings.history())))
                out.failed = False  # the person saw every error when it happened
            else:
                for text in texts_in(sys.stdin):
                    conversation.hear(text)
                    if conversation.is_over:
                        break


def converse(conversation: Conversation, session: PromptSession[str]) -> None:
    """Ask and answer until the person leaves."""
    while not conversation.is_over:
        try:
            text = session.prompt(conversation.prompt)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        if not text.strip():
            continue
        try:
            conversation.hear(text)
        except KeyboardInterrupt:
            conversation.out.stopped()


def prompt(
    conversation: Conversation,
    history: History,
    keyboard: Input | None = None,
    screen: Screen | None = None,
) -> PromptSession[str]:
    """Return the prompt of a conversation, on the terminal unless told otherwise."""
    return PromptSession(
        multiline=True,
        history=history,
        lexer=PygmentsLexer(KipLexer),
        completer=KipCompleter(conversation.vocabulary, NAMES),
        complete_while_typing=False,
        key_bindings=_keys(),
        prompt_continuation=lambda width, line, wrapped: " " * width,  # noqa: ARG005
        input=keyboard,
        output=screen,
    )


def history_in(file: Path) -> History:
    """Return the history kept in a file that only its owner reads; none where none can be."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.touch(mode=0o600)
    except OSError:
        return InMemoryHistory()
    return FileHistory(file)


def texts_in(lines: Iterable[str]) -> Iterator[str]:
    r"""Yield the texts of piped lines.

    A text ends at a `\` command, at an empty line where it may end, at a semicolon, and at the
    end.
    """
    pending: list[str] = []
    for line in lines:
        text = "".join(pending)
        is_break = not line.strip() and state_of(text) in (TextState.WHOLE, TextState.OPEN)
        is_command = is_command_line(line) and state_of(text) is not TextState.PARTIAL
        if is_break or is_command:
            if text.strip():
                yield text
            pending = []
        if is_command:
            yield line.strip()
        elif without_end(text + line) != text + line:
            yield text + line
            pending = []
        elif not is_break:
            pending.append(line)
    if state_of("".join(pending)) is not TextState.EMPTY:
        yield "".join(pending)


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _enter(event: KeyPressEvent) -> None:
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion:
            buffer.complete_state = None
        elif _may_run(buffer.text, buffer.document.current_line):
            buffer.validate_and_handle()
        else:
            buffer.newline()

    @keys.add("escape", "enter")
    def _new_line(event: KeyPressEvent) -> None:
        event.current_buffer.newline()

    return keys


def _may_run(text: str, line: str) -> bool:
    """Whether Enter runs the text: a command, a whole text or question, or an empty last line."""
    if is_command_line(text) or not text.strip() or not line.strip():
        return True
    match state_of(text):
        case TextState.WHOLE:
            return True
        case TextState.OPEN:
            return only_asks(text)  # a clause that was still to come is one more question
        case _:
            return False

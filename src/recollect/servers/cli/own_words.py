"""Hints in the words of a person at a terminal: options, or commands to paste as they are.

The rule: a command that is shown goes to the memory that the command before it named.
"""

from __future__ import annotations

import re
from shlex import quote
from typing import Final, assert_never

from recollect.errors import Hint, ToDo
from recollect.servers.cli.options import Invocation

_COMMAND: Final = re.compile(r"\brecollect ([a-z]+)(?: ([a-z]+))?")
NOUNS: Final = frozenset(
    ("capsule", "claim", "attention", "knowledge", "markup", "schema", "index", "audit", "mcp")
) | {"token", "database"}
"""Commands that have verbs."""

PLACED: Final = frozenset(
    ["init", "shell", "stats", "where", "reindex", "studio", "groups", "doctor", "serve", "worker"]
)
"""Commands that take a memory as their first word, too."""

GROUPLESS: Final = frozenset(
    ["groups", "doctor", "serve", "worker", "demo", "backup", "restore", "database"]
)
"""Commands that are about all groups of a memory."""

APART: Final = frozenset(
    ("check", "fmt", "token new", "markup check", "markup fmt", "markup card", "mcp uninstall")
)
"""Commands that are about no memory."""

_OWN_MEMORY: Final = re.compile(r" ['\w/.]")

_VALID_NOW: Final = "\\asof valid now"
_AS_OF: Final = re.compile(r"(?<![\w\"'`.?$-])as_of(?:\.(valid|known))?(?![\w\"'`])")
_MOVED_BY: Final = {"verified": "verify", "disputed": "dispute", "superseded": "supersede"}


def own_hint(hint: str, *, takes_parameters: bool = False, is_shell: bool = False) -> str:
    r"""Return a hint that can be followed where it is shown: in the shell, or at a command.

    >>> from recollect.errors import ask_at
    >>> own_hint(ask_at(2)), own_hint(ask_at(2), is_shell=True)
    ('use --transaction 2', 'use \\asof transaction 2')
    """
    if not isinstance(hint, Hint):
        return hint if is_shell else in_options(hint)
    match hint.todo:
        case ToDo.GIVE_PARAMETER:
            name = hint.on[0]
            return f"give it: -p {name}=VALUE" if takes_parameters else "write the value itself"
        case ToDo.ASK_ABOUT_NOW:
            return f"leave it out: {_VALID_NOW if is_shell else '--valid now'}"
        case ToDo.ASK_AT_TRANSACTION:
            option = "\\asof transaction" if is_shell else "--transaction"
            return f"use {option} {hint.on[0]}"
        case ToDo.WRITE:
            return "write it by itself" if is_shell else "run it: recollect run -"
        case ToDo.FORGET:
            options = zip(("--id", "--how", "--at"), hint.on, strict=False)
            return "recollect forget " + " ".join(f"{name} {one}" for name, one in options)
        case ToDo.JOIN:
            return f"recollect correct {quote(hint.on[0])} --same-as {quote(hint.on[1])}"
        case ToDo.CORRECT:
            id, member, said = hint.on
            option = {"valid_at": "--from", "invalid_at": "--until"}.get(member, f"--{member}")
            return f"recollect correct {id} {option} {quote(said)}"
        case ToDo.SERVE:
            return "recollect remember --fact '$self' serves NAME; correct ID --same-as NAME"
        case ToDo.UNDO:
            return f"recollect undo {hint.on[0]}"
        case ToDo.SEARCH | ToDo.LIST_EXCHANGES:
            return str(hint) if is_shell else "look for it: recollect search WORDS"
        case ToDo.LIST_GROUPS:
            return "\\group" if is_shell else "recollect groups"
        case ToDo.SEE_TRANSACTION:
            return f"recollect changes --since {int(hint.on[0]) - 1} --limit 1"
        case ToDo.MOVE_CLAIM:
            ways = [_MOVED_BY[one] for one in hint.on if one in _MOVED_BY]
            return " or ".join(f"recollect claim {one}" for one in ways)
        case ToDo.NAME_BY_KEY:
            return "name one of them by --type and --name"
        case ToDo.MEND_OR_SKIP:
            return "mend it, or add --skip-bad to leave it out"
        case ToDo.DECLARE_OR_FORCE:
            return "declare or mend it: recollect schema show; or add --force"
        case ToDo.LIST_CLAIMS:
            return "recollect claim list"
        case ToDo.LIST_ATTENTION:
            return "recollect attention --all"
        case ToDo.PASS_OPTION:
            name, value = hint.on
            return f"pass --{name.replace('_', '-')} {value}".removesuffix(" true")
        case ToDo.LIST_NODES:
            return "recollect markup show"
        case ToDo.LIST_RUNS:
            return "recollect markup runs"
        case ToDo.NAME_LATER:
            return "name a later day with --until"
        case _:
            assert_never(hint.todo)


def in_options(text: str) -> str:
    """Return a text that names the moment that is read by the options that say which.

    >>> in_options("leave as_of out"), in_options("as_of.valid is 7")
    ('leave --valid, --known or --transaction out', '--valid is 7')
    """
    return _AS_OF.sub(lambda one: f"--{one[1] or 'valid, --known or --transaction'}", text)


def at_memory(hint: str, on: Invocation) -> str:
    """Return a hint whose commands name the memory and the group that a command line named.

    >>> at_memory("look: recollect claim list", Invocation("my notes.db", "ann"))
    "look: recollect claim list --db 'my notes.db' --group ann"
    """
    given = {"db": on.database, "group": on.group}
    if not any(given.values()) or "--db" in hint:
        return hint

    def named(found: re.Match[str]) -> str:
        name, verb = found.groups()
        words = f"recollect {name} {verb}" if name in NOUNS else f"recollect {name}"
        rest = found[0].removeprefix(words)
        names_its_own = name in PLACED and _OWN_MEMORY.match(rest or hint[found.end() :])
        if names_its_own or name in APART or f"{name} {verb}" in APART:
            return found[0]
        taken = ("db",) if name in GROUPLESS else ("db", "group")
        told = [
            f" --{one} {quote(value)}" for one, value in given.items() if value and one in taken
        ]
        return words + "".join(told) + rest

    return _COMMAND.sub(named, hint)

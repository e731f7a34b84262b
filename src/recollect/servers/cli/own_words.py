"""Hints of the library in the words of a person at a terminal: options, or shell commands."""

from __future__ import annotations

import re

_PARAMETER = re.compile(r'pass parameters=\{"(.+)": \.\.\.\}')
_TRANSACTION = re.compile(r'use \{"known": (\d+)\}')
_KEY = "name one of them: Key("
_WRITES = "send it to execute_kip, or to Nexus.write"
_CHANGES = re.compile(r"see who did it: Nexus\.changes\(since=(\d+), limit=1\)")
_MOVES = re.compile(r"it may become (.+)")
_MOVED_BY = {"verified": "verify", "disputed": "dispute", "superseded": "supersede"}
_SKIP = "mend it, or pass skip_bad=True to leave it out"
_FORCE = "declare or mend it, or pass force=True"
_GROUPS = "use Nexus.groups to see which there are"
_SEARCH = "look for it with SEARCH"
_OPTIONS = {
    "list them: store.list()": "recollect claim list",
    "list the items: store.attention()": "recollect attention --all",
    "pass confidence=0.5": "pass --confidence 0.5",
    "pass until=time.time() + 86400": "name a later day with --until",
    "pass a finite confidence": "pass --confidence 0.5",
}


def own_hint(hint: str, *, takes_parameters: bool = False, is_shell: bool = False) -> str:
    r"""Return a hint that can be followed where it is shown: in the shell, or at a command.

    >>> own_hint('use {"known": 2}'), own_hint('use {"known": 2}', is_shell=True)
    ('use --transaction 2', 'use \\asof transaction 2')
    """
    if (parameter := _PARAMETER.fullmatch(hint)) is not None:
        name = parameter[1]
        return f"give it: -p {name}=VALUE" if takes_parameters else "write the value itself"
    if (transaction := _TRANSACTION.fullmatch(hint)) is not None:
        option = "\\asof transaction" if is_shell else "--transaction"
        return f"use {option} {transaction[1]}"
    if (changes := _CHANGES.fullmatch(hint)) is not None:
        return f"recollect changes --since {changes[1]} --limit 1"
    if (moves := _MOVES.fullmatch(hint)) is not None:
        ways = [_MOVED_BY[one] for one in moves[1].split(" or ") if one in _MOVED_BY]
        return " or ".join(f"recollect claim {one}" for one in ways)
    if hint.startswith(_KEY):
        return "name one of them by --type and --name"
    if hint == _WRITES:
        return "write it by itself" if is_shell else "run it: recollect run -"
    if hint == _SKIP:
        return "mend it, or add --skip-bad to leave it out"
    if hint == _FORCE:
        return "declare or mend it: recollect schema show; or add --force"
    if hint == _SEARCH and not is_shell:
        return "look for it: recollect search WORDS"
    if hint == _GROUPS:
        return "\\group" if is_shell else "recollect groups"
    return _OPTIONS.get(hint, hint)

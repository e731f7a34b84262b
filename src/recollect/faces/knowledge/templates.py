"""Templates that a user writes for prompts: Jinja2, Handlebars and Python's format strings.

The rule: what is filled in is data. It is never read as a template again, nothing of it is
escaped for HTML, and no template reaches a file, an attribute or a call. Jinja2 and Handlebars
need the extra `templates`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any, Final, Literal, get_args

from recollect.errors import RESOURCE_NOT_FOUND, RecollectError, load_extra, refused
from recollect.node import dataclass

Kind = Literal["jinja2", "handlebars", "format"]
Fill = Callable[[Mapping[str, Any]], str]

_COMPILING: Final = Lock()
_WIDE: Final = re.compile(r"\d{5}")  # digits of any script
_SUFFIXES: Final[Mapping[str, Kind]] = {
    **dict.fromkeys((".j2", ".jinja", ".jinja2"), "jinja2"),
    **dict.fromkeys((".hbs", ".handlebars"), "handlebars"),
}


@dataclass(frozen=True, slots=True)
class Template:
    r"""A text with places to fill, and the language it is written in.

    >>> Template("Rules:\n{text}", "format").filled({"text": "Check the mesh."})
    'Rules:\nCheck the mesh.'
    """

    text: str
    kind: Kind = "format"

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise refused(
                f"{str(self.kind)[:60]} is not a kind of template",
                "use jinja2, handlebars or format",
            )
        if not isinstance(self.text, str):
            raise refused("a template is not a text", "give its text")

    @classmethod
    def read(cls, path: Path) -> Template:
        """Return the template in a file, of the kind that its suffix says."""
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise RESOURCE_NOT_FOUND.error(f"{path} is not there", "check the path") from error
        except (OSError, UnicodeDecodeError) as error:
            raise refused(f"{path} cannot be read as text", "check the path") from error
        return cls(text, _SUFFIXES.get(path.suffix.lower(), "format"))

    def filled(self, values: Mapping[str, Any]) -> str:
        """Return the text with the values in their places; a missing one is empty.

        In a format string a missing one is INVALID_ARGUMENT, as is a template that is none.
        """
        return self.compiled()(values)

    def compiled(self) -> Fill:
        """Return what fills the template, so that it is read once."""
        match self.kind:
            case "jinja2":
                return _jinja(self.text)
            case "handlebars":
                return _handlebars(self.text)
            case "format":
                return lambda values: _formatted(self.text, values)


class _Plain(string.Formatter):
    """Python's format strings without attributes, items and conversions of objects."""

    def get_field(
        self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[Any, str]:
        """Return a value by its name, and nothing of it."""
        del args
        if not field_name.isidentifier():
            raise refused("a format string may name values only", "write {text}")
        if field_name not in kwargs:
            raise refused(
                f"the template names {field_name[:60]}, which is not there",
                "write {text}",
                known=tuple(sorted(kwargs)),
            )
        return kwargs[field_name], field_name

    def format_field(self, value: object, format_spec: str) -> str:
        """Return a value as its format says, which is no wider than a prompt is."""
        if _WIDE.search(format_spec):
            raise refused("a format string is wider than a prompt", "write {text}")
        return str(super().format_field(value, format_spec))


def _formatted(text: str, values: Mapping[str, Any]) -> str:
    try:
        return _Plain().vformat(text, (), values)
    except (ValueError, IndexError, KeyError, TypeError) as error:
        raise _broken("format") from error


def _jinja(text: str) -> Fill:
    jinja, sandbox = _module("jinja2"), _module("jinja2.sandbox")
    environment = sandbox.ImmutableSandboxedEnvironment(autoescape=False)
    try:
        template = environment.from_string(text)
    except jinja.TemplateError as error:
        raise _broken("jinja2") from error
    faults = (jinja.TemplateError, TypeError, ValueError, ArithmeticError, RecursionError)

    def fill(values: Mapping[str, Any]) -> str:
        try:
            return str(template.render(dict(values)))
        except faults as error:
            raise _broken("jinja2") from error

    return fill


class _Members(dict[str, Any]):
    """An object of which a template reaches the members, and no attribute."""

    def __missing__(self, key: str) -> None:
        return None


class _Text(str):
    """A text of which a template reaches nothing but itself."""

    def __getitem__(self, key: Any) -> Any:  # noqa: ANN401
        return None if isinstance(key, str) else super().__getitem__(key)


def _reached(value: object) -> object:
    """Return a value as Handlebars may have it: what it finds no member in, it asks attributes."""
    match value:
        case Mapping():
            return _Members({key: _reached(one) for key, one in value.items()})
        case list() | tuple():
            return [_reached(one) for one in value]
        case str():
            return _Text(value)
        case int() | float() if not isinstance(value, bool):
            return _Text(value) if value else 0  # so that a nought is none
        case _:
            return value


def _handlebars(text: str) -> Fill:
    pybars, meta = _module("pybars"), _module("pymeta.runtime")
    faults = (pybars.PybarsError, meta.ParseError, TypeError, ValueError, LookupError)
    with _COMPILING:  # what builds the code of templates is one for all compilers
        try:
            template = _plain_compiler(pybars).compile(text)
        except faults as error:
            raise _broken("handlebars") from error

    def fill(values: Mapping[str, Any]) -> str:
        try:
            return str(template(_reached(values)))
        except (*faults, AttributeError, RecursionError) as error:
            raise _broken("handlebars") from error

    return fill


@cache
def _plain_compiler(pybars: Any) -> Any:  # noqa: ANN401 - of an extra
    """Return a compiler of templates that escape nothing: `{{x}}` is `{{{x}}}`."""
    compiler, grammar = pybars.Compiler(), pybars.Compiler._compiler
    made = type(grammar.globals["builder"])
    plain = type("PlainBuilder", (made,), {"add_escaped_expand": made.add_expand})()
    named = {"globals": {**grammar.globals, "builder": plain}}
    compiler._compiler = type("PlainGrammar", (grammar,), named)
    return compiler


def _module(name: str) -> Any:  # noqa: ANN401 - an extra, loaded by those who use it
    return load_extra(name, "templates", "the template needs it")


def _broken(kind: str) -> RecollectError:
    return refused(f"the template cannot be filled as {kind}", "check its syntax")

"""The kernel: a bitemporal graph in one store, and the language that reads and writes it."""

from recollect.kernel.checking.check import Diagnostic, Severity, check
from recollect.kernel.lang import parse, print_text
from recollect.kernel.lang.ast import Script
from recollect.kernel.lang.expect import Place, Wanted, place_at
from recollect.kernel.lang.format import format_text
from recollect.kernel.lang.words import WORDS, WordKind, meaning_of, syntax_card
from recollect.kernel.nexus import Nexus
from recollect.kernel.read.moment import (
    asked_instant,
    check_as_of,
    instant,
    parse_instant,
    read_as_of,
)
from recollect.kernel.read.texts import parse_text
from recollect.kernel.recall.recollection import (
    Recalled,
    RecallQuestion,
    Recollection,
    compared_by,
)
from recollect.kernel.search.rank import asked_terms
from recollect.kernel.search.tokens import STOP_WORDS, called, is_wordless, tokens
from recollect.kernel.store.address import parse_address, shown_address
from recollect.kernel.store.new_file import new_file
from recollect.kernel.store.opening import distribute_groups, is_there, roles_script
from recollect.kernel.store.port import Term
from recollect.kernel.store.settings import COMPARE_EVERY
from recollect.kernel.store.sharing import uncollected
from recollect.kernel.write.capsule import Capsule

__all__ = [
    "COMPARE_EVERY",
    "STOP_WORDS",
    "WORDS",
    "Capsule",
    "Diagnostic",
    "Nexus",
    "Place",
    "RecallQuestion",
    "Recalled",
    "Recollection",
    "Script",
    "Severity",
    "Term",
    "Wanted",
    "WordKind",
    "asked_instant",
    "asked_terms",
    "called",
    "check",
    "check_as_of",
    "compared_by",
    "distribute_groups",
    "format_text",
    "instant",
    "is_there",
    "is_wordless",
    "meaning_of",
    "new_file",
    "parse",
    "parse_address",
    "parse_instant",
    "parse_text",
    "place_at",
    "print_text",
    "read_as_of",
    "roles_script",
    "shown_address",
    "syntax_card",
    "tokens",
    "uncollected",
]

"""English words that questions are made of and answers are not found by.

The rule: they are dropped from queries, never from documents, and never when nothing is left.
"""

from __future__ import annotations

_WORDS = """
    a about am an and any are aren as at be been being but by can could couldn d did didn do
    does doesn doing don for from had hadn has hasn have haven having he her hers him his how i
    if in into is isn it its ll m me my of on or our ours please re s shall she should shouldn
    so such t tell than that the their theirs them then there these they this those to us ve
    was wasn we were weren what when where which who whom whose why will with won would wouldn
    you your yours
"""

STOP_WORDS = frozenset(_WORDS.split())

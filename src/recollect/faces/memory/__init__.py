"""Memory: remember, recall, correct, forget, list and why, over all other faces.

`recollect.memory("me.db")` opens one.
"""

from recollect.faces.memory.memory import Memory, memory_of
from recollect.faces.memory.model import (
    EFFECTS,
    Brief,
    Corrected,
    Effect,
    Forgotten,
    Holding,
    Listed,
    MemoryRecord,
    RecallAnswer,
    RecalledRecord,
    Remembered,
    Step,
    Why,
    records_of,
)
from recollect.faces.memory.naming import element_named

__all__ = [
    "EFFECTS",
    "Brief",
    "Corrected",
    "Effect",
    "Forgotten",
    "Holding",
    "Listed",
    "Memory",
    "MemoryRecord",
    "RecallAnswer",
    "RecalledRecord",
    "Remembered",
    "Step",
    "Why",
    "element_named",
    "memory_of",
    "records_of",
]

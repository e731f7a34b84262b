"""The kernel: a bitemporal graph in one store, and the language that reads and writes it."""

from recollect.kernel.lang import parse, print_text
from recollect.kernel.nexus import Nexus
from recollect.kernel.store.address import parse_address
from recollect.kernel.write.temporal import parse_instant

__all__ = ["Nexus", "parse", "parse_address", "parse_instant", "print_text"]

"""The files of other programs, read into a memory, and a memory written for other programs.

The rule: a file is data. Nothing in it is run or fetched; it comes in whole or not at all, and
what came in once changes nothing when it comes again.

`take_in(nexus, path, *, format="auto", source=None, type="Entity", skip_bad=False, dry_run=False,
actor=None, request_id=None, progress=silent, cancelled=never, name=None) -> ImportReport` reads a
file into the group that `nexus` is bound to; `ImportReport.to_wire()` is JSON. `progress(step,
done, total)` is told bytes; when `cancelled()` is true nothing is written and CANCELLED is raised.
"""

from recollect.integrations.exchange.formats import FORMATS
from recollect.integrations.exchange.hand_out import EXPORT_FORMATS, hand_out
from recollect.integrations.exchange.report import ImportReport, NamedCount
from recollect.integrations.exchange.take_in import take_in

__all__ = ["EXPORT_FORMATS", "FORMATS", "ImportReport", "NamedCount", "hand_out", "take_in"]

"""Keeping a memory fresh: what expired, what fades, what is there twice, what hangs on nothing."""

from recollect.faces.kip.maintenance.carry_out import Done
from recollect.faces.kip.maintenance.decay import Decay, Faded, decay
from recollect.faces.kip.maintenance.duplicates import (
    Duplicate,
    Duplicates,
    find_duplicates,
    merge_duplicates,
    reject_duplicate,
)
from recollect.faces.kip.maintenance.expiry import Expired, Expiry, expire
from recollect.faces.kip.maintenance.orphans import Orphans, find_orphans
from recollect.faces.kip.maintenance.target import Ends, Target

__all__ = [
    "Decay",
    "Done",
    "Duplicate",
    "Duplicates",
    "Ends",
    "Expired",
    "Expiry",
    "Faded",
    "Orphans",
    "Target",
    "decay",
    "expire",
    "find_duplicates",
    "find_orphans",
    "merge_duplicates",
    "reject_duplicate",
]

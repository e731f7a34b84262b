"""Keeping a memory fresh: what expired, what fades, what is there twice, what hangs on nothing."""

from recollect.faces.kip.maintenance.carry_out import CarriedOut, Carrying, LinkEnds, Target
from recollect.faces.kip.maintenance.decay import Decay, Expired, Expiry, Faded, decay, expire
from recollect.faces.kip.maintenance.duplicates import (
    Duplicate,
    Duplicates,
    find_duplicates,
    merge_duplicates,
    reject_duplicate,
)
from recollect.faces.kip.maintenance.holding import both_hold
from recollect.faces.kip.maintenance.orphans import Orphans, find_orphans

__all__ = [
    "CarriedOut",
    "Carrying",
    "Decay",
    "Duplicate",
    "Duplicates",
    "Expired",
    "Expiry",
    "Faded",
    "LinkEnds",
    "Orphans",
    "Target",
    "both_hold",
    "decay",
    "expire",
    "find_duplicates",
    "find_orphans",
    "merge_duplicates",
    "reject_duplicate",
]

"""Keeping a memory fresh: what expired, what fades, what is there twice, what hangs on nothing."""

from recollect.faces.kip.maintenance.carry_out import CarriedOut, Carrying, Target
from recollect.faces.kip.maintenance.decay import Expired, Faded, decay, expire
from recollect.faces.kip.maintenance.duplicates import (
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
    "Duplicates",
    "Expired",
    "Faded",
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

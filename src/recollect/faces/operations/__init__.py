"""The operations: a bitemporal knowledge service on the one graph. Specification 004."""

from recollect.faces.operations.catalogue import OPERATIONS, ServiceOperation
from recollect.faces.operations.context import EVERYONE, Caller, Observation, Policy
from recollect.faces.operations.operations import Operations
from recollect.faces.operations.outputs import Envelope

__all__ = [
    "EVERYONE",
    "OPERATIONS",
    "Caller",
    "Envelope",
    "Observation",
    "Operations",
    "Policy",
    "ServiceOperation",
]

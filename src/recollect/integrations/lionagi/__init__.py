"""lionagi's Session and Branch with a knowledge store: the extra `lionagi`. Specification 002."""

from recollect.integrations.lionagi.branch import Branch
from recollect.integrations.lionagi.hooks import on_message
from recollect.integrations.lionagi.providers import KnowledgeProvider
from recollect.integrations.lionagi.session import Session

__all__ = ["Branch", "KnowledgeProvider", "Session", "on_message"]

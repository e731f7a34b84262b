"""lionagi's Session and Branch with a knowledge store: the extra `lionagi`. Specification 002."""

from recollect.integrations.lionagi.branch import Branch, Session
from recollect.integrations.lionagi.hooks import on_message
from recollect.integrations.lionagi.providers import KnowledgeProvider

__all__ = ["Branch", "KnowledgeProvider", "Session", "on_message"]

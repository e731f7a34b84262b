"""Language models at endpoints that speak OpenAI's protocol, for all faces.

The rule: one call is one question. Nothing here asks again: whoever asks knows what an attempt is
worth. The endpoint itself, `recollect.llm.chat`, needs the extra `llm`.
"""

from recollect.llm.completion import Completion, Usage, may_help_again

__all__ = ["Completion", "Usage", "may_help_again"]

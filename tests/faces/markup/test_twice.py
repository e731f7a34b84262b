"""What stands in two spaces is one node: its values, uses and steps are shown once."""

from __future__ import annotations

from recollect.faces.markup import Markup

TWICE = """- CONCEPTUAL SPACE
  ID: a
  Label: A
  - TEMPLATE ID: t
    Label: T
    - ID: f
      Label: F
  - ARTICLE ID: x
    Use template: t
    - ID: f
      Value: 5
- CONCEPTUAL SPACE
  ID: b
  Label: B
  - ARTICLE ID: x
"""


def test_an_article_in_two_spaces_shows_its_values_once(markup: Markup) -> None:
    markup.load(TWICE)
    text = markup.render().text
    assert text.count("Value: 5") == 1
    assert text.count("Use template: t") == 1
    assert text.count("- ARTICLE ID: x\n") == 2
    assert markup.load(text).transaction is None

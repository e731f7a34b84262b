"""Texts made to be costly: each is read in a small part of the time that is allowed here."""

from __future__ import annotations

import subprocess
import sys

import pytest

from recollect.errors import UNEXPECTED_LINE, RecollectError
from recollect.faces.markup import parse_response

PROCESSOR_SECONDS = 10
"""What a text whose cost grows with the square of its length would use up many times."""

CALL = 'Context: command\nResponse: action\nAction: f {"a": %s}\n'

TEXTS = {
    "remarks at one id": "'- ID: 1\\n  Label: a #b\\n' * 22_000",
    "deep blanks": "''.join(' ' * at + f'- ID: {at}\\n' for at in range(1_400))",
    "a header of blanks": "'- ' + ' ' * 1_000_000 + '?\\n- ID: 1'",
    "a fence of blanks": "'- ID: x\\n```' + ' ' * 1_000_000 + '?\\n- ID: 1'",
    "blocks that nothing closes": "'- ID: x\\n' + '  La: `?\\n' * 40_000 + '- ID: 1 [x'",
    "data in fences": "'Context: command\\nResponse: data\\n' + 'Data:\\n```\\n```\\n' * 45_000",
}

READ = """
import resource
from recollect.errors import RecollectError
from recollect.faces.markup import check, format_text, parse, repair, repair_response
text = {text}
resource.setrlimit(resource.RLIMIT_CPU, ({most}, {most}))
for read in (parse, check, format_text, repair, repair_response):
    try:
        read(text)
    except RecollectError:
        pass
"""


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_cost_of_a_text_grows_with_its_length_and_no_faster(text: str):
    script = READ.format(text=text, most=PROCESSOR_SECONDS)
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("levels", [900, 5_000, 100_000])
def test_arguments_of_any_depth_are_arguments_or_a_fault(levels: int):
    text = CALL % ("[" * levels + "]" * levels)
    try:
        assert parse_response(text).actions[0].function == "f"
    except RecollectError as error:
        assert error.code is UNEXPECTED_LINE
        assert "is no call of a function" in error.message

"""Every section of the benchmark runs, at its smallest scale.

The rule: a time says nothing here; what is compared or counted holds at any size.
"""

from __future__ import annotations

import math

import pytest
from bench.__main__ import SECTIONS, Run
from bench.measure import Calibration
from bench.scale import TINY
from rich.progress import Progress


@pytest.mark.parametrize("section", SECTIONS)
def test_each_section_runs_and_measures_something(section, tmp_path):
    run = Run(tmp_path, section, TINY, Progress(disable=True), Calibration(tmp_path))
    figures = list(run.figures())
    assert section in {one.section.partition(",")[0] for one in figures}
    assert all(math.isfinite(one.value) for one in figures)
    counted = [one for one in figures if not one.unit and one.is_reached is not None]
    assert all(one.is_reached for one in counted), counted

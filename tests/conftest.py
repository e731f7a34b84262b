"""What every test shares: the options of a run, and how hard Hypothesis looks."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# "ci" gives the same examples on every run; a test that needs more asks for a multiple of
# `settings.default.max_examples`, so that the long profile raises it too.
settings.register_profile("ci", derandomize=True, deadline=None, max_examples=25)
settings.register_profile(
    "fuzz",
    deadline=None,
    max_examples=5_000,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="many more examples and crash rounds")
    parser.addoption("--foreign", action="store_true", help="services with servers or clients")
    parser.addoption("--update", action="store_true", help="rewrite golden sections of case files")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("fuzz" if config.getoption("--long") else "ci")


@pytest.fixture(scope="session")
def is_long(request: pytest.FixtureRequest) -> bool:
    """Whether this run takes the time to look hard."""
    return bool(request.config.getoption("--long"))


@pytest.fixture(scope="session")
def is_update(request: pytest.FixtureRequest) -> bool:
    """Whether golden sections are rewritten from what the code prints now."""
    return bool(request.config.getoption("--update"))

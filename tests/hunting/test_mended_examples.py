"""Hunts find nothing in the corrected examples."""

import pytest

import memkube
from tests.hunting.examples import BUGS, described

pytestmark = [pytest.mark.long, pytest.mark.slow]


@pytest.mark.parametrize(("name", "pattern"), BUGS.items())
def test_a_mended_twin_withstands_the_same(name: str, pattern: str) -> None:
    report = memkube.hunt(described(f"{name}_mended"), patterns=[pattern], budget=30, seed=1)
    assert report.plans
    assert not report.findings, report.to_text()

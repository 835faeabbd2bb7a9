"""Rendering of templates with all functions, at a fixed time and with fixed random numbers."""

from datetime import UTC, datetime
from typing import Final

from memkube.controllers.stages.languages.sprig.random_values import RandomFunctions
from memkube.controllers.stages.languages.sprig.times import TimeFunctions
from memkube.controllers.stages.languages.template_functions import FUNCTIONS
from memkube.controllers.stages.languages.template_values import load_data
from memkube.controllers.stages.languages.templates import Template

DATA: Final = b"""{"name": "p", "n": 3, "f": 1.5, "neg": -7, "t": true, "e": "", "z": null,
"l": ["b", "a", "b", null, 3], "m": {"a": 1, "b": {"c": "x", "d": ""}, "e": []}}"""
NOW: Final = datetime(2026, 1, 2, 3, 4, 5, 600_000, tzinfo=UTC)
_ALL: Final = {
    **FUNCTIONS,
    **TimeFunctions(lambda: NOW).functions,
    **RandomFunctions(lambda count: count // 2).functions,
}


def rendered(text: str) -> str:
    """Render a template with DATA."""
    return Template(text, _ALL).render(load_data(DATA), _ALL)

import inspect

import pytest
from tools.python_reference import PAGE, reference

import memkube


def test_the_reference_of_the_python_api_is_up_to_date() -> None:
    assert PAGE.read_text() == reference(), "run python tools/python_reference.py"


@pytest.mark.parametrize(
    "name",
    ["apply", "create", "get", "list", "patch", "scale", "delete", "logs", "exec", "events", "object", "wait_for"],
)
def test_help_shows_each_verb_with_its_parameters(name: str) -> None:
    method = getattr(memkube.Memkube, name)
    assert inspect.getdoc(method) == inspect.getdoc(getattr(memkube.AsyncMemkube, name))
    assert inspect.signature(method) == inspect.signature(getattr(memkube.AsyncMemkube, name))
    assert f"### {name}\n" in PAGE.read_text()

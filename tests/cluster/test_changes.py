from collections.abc import Iterator
from typing import Any

import httpx
import pytest

import memkube
from memkube.cluster.changes import shown


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


@pytest.fixture
def bare() -> Iterator[memkube.Memkube]:
    """A cluster without controllers."""
    with memkube.Memkube(controllers="none") as kube:
        yield kube


def test_what_was_made_and_changed_is_told_with_its_difference(bare: memkube.Memkube) -> None:
    bare.apply(config_map("kept", colour="blue"), config_map("untouched"))
    revision = bare.revision()
    bare.apply(config_map("kept", colour="red"), config_map("new", size="3"))
    assert list(shown(bare.changes_since(revision), most_lines=100)) == [
        "~ configmaps default/kept",
        "       namespace: default",
        "     data:",
        "    -  colour: blue",
        "    +  colour: red",
        "+ configmaps default/new",
    ]


def test_an_object_that_was_made_anew_is_told_as_both(bare: memkube.Memkube) -> None:
    bare.apply(config_map("settings"))
    revision = bare.revision()
    httpx.delete(f"{bare.url}/api/v1/namespaces/default/configmaps/settings").raise_for_status()
    assert [change.what for change in bare.changes_since(revision)] == ["deleted"]
    bare.apply(config_map("settings"))
    assert sorted(change.what for change in bare.changes_since(revision)) == ["created", "deleted"]


def test_long_differences_are_cut(bare: memkube.Memkube) -> None:
    bare.apply(config_map("kept", **{f"key-{number:03}": "blue" for number in range(100)}))
    revision = bare.revision()
    bare.apply(config_map("kept", **{f"key-{number:03}": "red" for number in range(100)}))
    lines = list(shown(bare.changes_since(revision), most_lines=10))
    assert (len(lines), lines[-1].endswith(" more lines")) == (12, True)

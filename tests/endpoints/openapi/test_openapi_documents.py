"""The files in ``openapi/`` are equal to the documents that the server serves."""

from pathlib import Path

import pytest

from memkube.cli.openapi import document_files

FOLDER = Path(__file__).parents[3] / "openapi"


@pytest.fixture(scope="module")
def served() -> dict[str, bytes]:
    return document_files()


def test_there_is_a_document_for_each_group_and_version(served: dict[str, bytes]) -> None:
    assert {path.name for path in FOLDER.glob("*.json")} == set(served)


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.json")))
def test_a_document_is_as_it_is_served(name: str, served: dict[str, bytes]) -> None:
    assert (FOLDER / name).read_bytes() == served[name], "run: memkube openapi openapi"

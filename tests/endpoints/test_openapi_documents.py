"""The documents in ``openapi/`` are those that the server serves."""

import asyncio
from pathlib import Path

import pytest

from memkube.app import create_registry
from memkube.endpoints.openapi_documents import Documents, indented
from memkube.settings import Settings

FOLDER = Path(__file__).parents[2] / "openapi"


@pytest.fixture(scope="module")
def served() -> dict[str, bytes]:
    documents = Documents(create_registry(Settings()).catalog)
    texts = {"swagger": asyncio.run(documents.v2()).text, **asyncio.run(documents.texts())}
    return {f"{path.replace('/', '__')}.json": indented(text) for path, text in texts.items()}


def test_there_is_a_document_for_each_group_and_version(served: dict[str, bytes]) -> None:
    assert {path.name for path in FOLDER.glob("*.json")} == set(served)


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.json")))
def test_a_document_is_as_it_is_served(name: str, served: dict[str, bytes]) -> None:
    assert (FOLDER / name).read_bytes() == served[name], "run: memkube openapi openapi"

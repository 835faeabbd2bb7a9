import uuid

import httpx
import pytest

from memkube.server.server import Server
from memkube.server.settings import Settings

_ALL = "?dryRun=All"


def _created(client: httpx.Client, query: str = "", namespace: str = "") -> tuple[httpx.Response, str]:
    """Create a ConfigMap in a new namespace. Return the response and the namespace's URL path."""
    where = f"/api/v1/namespaces/{namespace or f'new-{uuid.uuid4().hex[:10]}'}"
    return client.post(f"{where}/configmaps{query}", json={"metadata": {"name": "a"}}), where


def test_a_namespace_is_made_for_what_is_created_in_it(strict: httpx.Client) -> None:
    created, where = _created(strict)
    assert created.status_code == 201
    namespace = strict.get(where).json()
    assert namespace["metadata"]["labels"] == {"kubernetes.io/metadata.name": where.split("/")[-1]}
    assert namespace["status"]["phase"] == "Active"


def test_a_dry_run_makes_no_namespace(strict: httpx.Client) -> None:
    refused, where = _created(strict, _ALL)
    assert (refused.status_code, strict.get(where).status_code) == (404, 404)


def test_a_namespace_that_could_not_be_is_not_made(strict: httpx.Client) -> None:
    refused, _ = _created(strict, namespace="Bad")
    assert refused.status_code == 403
    assert refused.json()["message"].startswith(
        'configmaps "a" is forbidden: Namespace "Bad" is invalid: metadata.name'
    )


@pytest.mark.parametrize(("plugins", "code"), [(("NamespaceExists",), 404), ((), 201)])
def test_that_a_namespace_exists_can_be_asked_for_alone(plugins: tuple[str, ...], code: int) -> None:
    with (
        Server(Settings(controllers=(), admission_plugins=plugins)).in_thread() as running,
        httpx.Client(base_url=running.url, trust_env=False) as client,
    ):
        assert _created(client)[0].status_code == code

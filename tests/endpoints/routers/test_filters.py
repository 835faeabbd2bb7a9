import uuid

import httpx
import pytest

_OWN = "/api/v1/namespaces/default"


@pytest.mark.parametrize("path", [_OWN, "/api", "/apis", "/version", "/livez", "/openapi/v2", "/nothing", "/docs", "/"])
def test_every_answer_says_which_request_it_is_to_and_that_it_is_not_kept(client: httpx.Client, path: str) -> None:
    first, second = (client.get(path).headers for _ in range(2))
    assert uuid.UUID(first["audit-id"]).version == 4
    assert first["audit-id"] != second["audit-id"]
    assert first["cache-control"] == "no-cache, private"


def test_a_client_may_name_its_request_itself(client: httpx.Client) -> None:
    assert client.get(_OWN, headers={"Audit-Id": "mine"}).headers["audit-id"] == "mine"


def test_aggregated_discovery_may_be_kept(client: httpx.Client) -> None:
    accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    headers = client.get("/apis", headers={"Accept": accept}).headers
    assert headers.get_list("cache-control") == ["public"]


@pytest.mark.parametrize("path", ["/livez", "/livez/nothing", "/nothing", "/apis/nothing.example.com/v1/x"])
def test_text_is_not_to_be_taken_for_anything_else(client: httpx.Client, path: str) -> None:
    assert client.get(path).headers["x-content-type-options"] == "nosniff"


def test_credentials_change_nothing(client: httpx.Client) -> None:
    answer = client.get(_OWN, headers={"Authorization": "Bearer nonsense"})
    assert answer.status_code == 200

import httpx
import pytest


def pod(size: int) -> dict[str, object]:
    container = {"name": "app", "image": "nginx", "args": ["x" * size]}
    return {"metadata": {"name": "a"}, "spec": {"containers": [container]}}


@pytest.mark.parametrize(
    ("size", "code", "message"),
    [
        (3 << 19, 500, "etcdserver: request is too large"),
        (3 << 20, 413, "Request entity too large: limit is 3145728"),
    ],
)
def test_an_object_that_is_too_large_is_refused(
    client: httpx.Client, namespace: str, size: int, code: int, message: str
) -> None:
    answer = client.post(f"/api/v1/namespaces/{namespace}/pods", json=pod(size))
    assert (answer.status_code, answer.json()["message"]) == (code, message)


def test_a_large_object_is_no_burden_to_a_dry_run(client: httpx.Client, namespace: str) -> None:
    answer = client.post(f"/api/v1/namespaces/{namespace}/pods", params={"dryRun": "All"}, json=pod(3 << 19))
    assert answer.status_code == 201


def test_white_space_is_not_stored(client: httpx.Client, namespace: str) -> None:
    text = b'{"metadata":{"name":"a"}}' + b" " * (2 << 20)
    answer = client.post(
        f"/api/v1/namespaces/{namespace}/configmaps", content=text, headers={"content-type": "application/json"}
    )
    assert answer.status_code == 201

"""Generated request bodies, the same in each run. tests/proofs/test_generated.py generates new ones each time."""

import logging
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.endpoints.bodies import JSON, JSON_PATCHES, POD, PODS, written

pytestmark = [pytest.mark.long, pytest.mark.slow]

_EXAMPLES = settings(
    max_examples=300,
    deadline=None,
    # Generate the same bodies in every run, so that failures can be reproduced.
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
_MEDIA_TYPES = st.sampled_from(["application/json", "application/yaml"])
_DRY_RUN = {"dryRun": "All", "fieldManager": "test"}


@pytest.fixture
def pods(client: httpx.Client, namespace: str) -> str:
    """The URL path of the pods in a namespace with one pod."""
    path = f"/api/v1/namespaces/{namespace}/pods"
    client.post(path, json=POD).raise_for_status()
    return path


@pytest.fixture
def failures() -> Iterator[list[str]]:
    """Messages that the server logs."""
    messages: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(logging.Formatter().format(record))  # type: ignore[method-assign]
    logger = logging.getLogger("memkube")
    logger.addHandler(handler)
    yield messages
    logger.removeHandler(handler)


def _check(answer: httpx.Response, failures: list[str]) -> None:
    """Check that a response is an object or a Status, and that the server has logged no error."""
    logged = "\n".join(failures)
    failures.clear()
    assert not logged, logged
    document: dict[str, Any] = answer.json()
    assert document["kind"] in ("Pod", "Status"), answer.text
    assert document.get("reason") != "InternalError" or "Error: " not in document["message"], answer.text


@_EXAMPLES
@given(body=st.binary(max_size=60) | JSON.map(written), media_type=_MEDIA_TYPES)
def test_create_survives_any_body(
    client: httpx.Client, pods: str, failures: list[str], body: bytes, media_type: str
) -> None:
    headers = {"Content-Type": media_type}
    _check(client.post(pods, params=_DRY_RUN, content=body, headers=headers), failures)


@_EXAMPLES
@given(pod=PODS, media_type=_MEDIA_TYPES)
def test_create_survives_pods_that_are_nearly_right(
    client: httpx.Client, pods: str, failures: list[str], pod: Any, media_type: str
) -> None:
    headers = {"Content-Type": media_type}
    _check(client.post(pods, params=_DRY_RUN, content=written(pod), headers=headers), failures)


@_EXAMPLES
@given(pod=PODS, subresource=st.sampled_from(["", "/status", "/ephemeralcontainers", "/resize"]))
def test_replace_survives_pods_that_are_nearly_right(
    client: httpx.Client, pods: str, failures: list[str], pod: Any, subresource: str
) -> None:
    headers = {"Content-Type": "application/json"}
    path = f"{pods}/target{subresource}"
    _check(client.put(path, params=_DRY_RUN, content=written(pod), headers=headers), failures)


@_EXAMPLES
@given(body=JSON_PATCHES.map(written) | JSON.map(written) | st.binary(max_size=40))
def test_json_patch_survives_any_body(client: httpx.Client, pods: str, failures: list[str], body: bytes) -> None:
    headers = {"Content-Type": "application/json-patch+json"}
    _check(client.patch(f"{pods}/target", params=_DRY_RUN, content=body, headers=headers), failures)


@pytest.mark.parametrize("kind", ["merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"])
@_EXAMPLES
@given(body=PODS.map(written) | JSON.map(written) | st.binary(max_size=40))
def test_patches_survive_any_body(client: httpx.Client, pods: str, failures: list[str], kind: str, body: bytes) -> None:
    headers = {"Content-Type": f"application/{kind}"}
    _check(client.patch(f"{pods}/target", params=_DRY_RUN, content=body, headers=headers), failures)


@_EXAMPLES
@given(query=st.dictionaries(st.sampled_from(["labelSelector", "fieldSelector", "continue", "limit"]), st.text()))
def test_lists_survive_any_query(client: httpx.Client, pods: str, failures: list[str], query: dict[str, str]) -> None:
    answer = client.get(pods, params=query)
    assert not failures, failures
    assert answer.json()["kind"] in ("PodList", "Status")

import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

_CLASSES = "/apis/networking.k8s.io/v1/ingressclasses"
_BACKEND = {"service": {"name": "web", "port": {"number": 80}}}
_DEFAULT = {"ingressclass.kubernetes.io/is-default-class": "true"}


@pytest.fixture
def classes(client: httpx.Client) -> Iterator[list[str]]:
    """Names of two default IngressClasses, which are deleted after the test."""
    names = sorted(f"class-{uuid.uuid4().hex[:8]}" for _ in range(2))
    for name in names:
        body = {"metadata": {"name": name, "annotations": _DEFAULT}, "spec": {"controller": "acme.io/lb"}}
        client.post(_CLASSES, json=body).raise_for_status()
    yield names
    for name in names:
        client.delete(f"{_CLASSES}/{name}")


def _posted(client: httpx.Client, namespace: str, annotations: dict[str, str], **spec: Any) -> Any:
    address = f"/apis/networking.k8s.io/v1/namespaces/{namespace}/ingresses"
    body = {"metadata": {"name": "web", "annotations": annotations}, "spec": {"defaultBackend": _BACKEND, **spec}}
    return client.post(address, json=body).raise_for_status().json()["spec"].get("ingressClassName")


def test_an_ingress_gets_a_default_class(client: httpx.Client, namespace: str, classes: list[str]) -> None:
    assert _posted(client, namespace, {}) in classes


def test_an_ingress_keeps_its_class(client: httpx.Client, namespace: str, classes: list[str]) -> None:
    assert _posted(client, namespace, {}, ingressClassName="other") == "other"


def test_a_class_told_by_annotation_is_one(client: httpx.Client, namespace: str, classes: list[str]) -> None:
    assert _posted(client, namespace, {"kubernetes.io/ingress.class": "other"}) is None


def test_without_a_default_there_is_no_class(client: httpx.Client, namespace: str) -> None:
    assert _posted(client, namespace, {}) is None

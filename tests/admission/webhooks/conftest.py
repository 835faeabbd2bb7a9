"""Admission webhooks of a real server, each for one test's namespace."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from typing import Any, TypeAlias

import httpx
import pytest

from tests.hooks.listening import LOOPBACK, Answer, Certificates, Hook, listening

Register: TypeAlias = Callable[..., Hook]


@pytest.fixture(scope="session")
def certificates() -> Certificates:
    return Certificates.make()


@pytest.fixture(scope="session")
def certificate(certificates: Certificates) -> bytes:
    return certificates.issue(LOOPBACK)


@pytest.fixture
def register(
    client: httpx.Client, namespace: str, certificates: Certificates, certificate: bytes
) -> Iterator[Register]:
    """Return a function that starts a webhook and registers it.

    By default, the webhook is called for ConfigMaps of the test's namespace.
    """
    # Webhooks are called in the order of their configurations' names, so the names contain a number.
    places = count()
    with ExitStack() as stack:

        def registered(answer: Answer, kind: str = "validating", **fields: Any) -> Hook:
            hook = stack.enter_context(listening(certificate, answer))
            rule = {"operations": ["*"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}
            webhook = {
                "name": "a.hooks.example.com",
                "clientConfig": {"url": hook.url, "caBundle": certificates.encoded},
                "rules": [rule],
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
                "timeoutSeconds": 30,
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                **fields,
            }
            path = f"/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations"
            answered = client.post(
                path, json={"metadata": {"name": f"{namespace}-{next(places)}"}, "webhooks": [webhook]}
            )
            name = answered.raise_for_status().json()["metadata"]["name"]
            stack.callback(client.delete, f"{path}/{name}")
            return hook

        yield registered


@pytest.fixture
def config_maps(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps"

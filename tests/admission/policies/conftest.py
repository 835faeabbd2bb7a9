"""Admission policies that apply only to a test's namespace and are deleted after the test."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import httpx
import pytest

API = "/apis/admissionregistration.k8s.io/v1"
CONFIG_MAPS = {
    "operations": ["CREATE", "UPDATE"],
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "resources": ["configmaps"],
}
Bind: TypeAlias = Callable[..., str]


def _binder(client: httpx.Client, namespace: str, sort: str) -> Iterator[Bind]:
    made: list[str] = []
    unless_said = {"reinvocationPolicy": "Never"} if sort == "mutating" else {}
    unless_bound = {"validationActions": ["Deny"]} if sort == "validating" else {}

    def bind(spec: dict[str, Any], rule: dict[str, Any] | None = None, **binding: Any) -> str:
        name = f"{namespace}-{len(made)}"
        selector = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
        constraints = {"namespaceSelector": selector, "resourceRules": [{**CONFIG_MAPS, **(rule or {})}]}
        policy = {"metadata": {"name": name}, "spec": {"matchConstraints": constraints, **unless_said, **spec}}
        client.post(f"{API}/{sort}admissionpolicies", json=policy).raise_for_status()
        bound = {"metadata": {"name": name}, "spec": {"policyName": name, **unless_bound, **binding}}
        client.post(f"{API}/{sort}admissionpolicybindings", json=bound).raise_for_status()
        made.append(name)
        return name

    yield bind
    for name in made:
        client.delete(f"{API}/{sort}admissionpolicybindings/{name}").raise_for_status()
        client.delete(f"{API}/{sort}admissionpolicies/{name}").raise_for_status()


@pytest.fixture
def validate(client: httpx.Client, namespace: str) -> Iterator[Bind]:
    """Return a function that puts a ValidatingAdmissionPolicy into force.

    Its arguments are the policy's spec, changes of its match rule, and the binding's spec.
    """
    yield from _binder(client, namespace, "validating")


@pytest.fixture
def mutate(client: httpx.Client, namespace: str) -> Iterator[Bind]:
    """Return a function that puts a MutatingAdmissionPolicy into force.

    The policy is not reinvoked unless its spec says so.
    """
    yield from _binder(client, namespace, "mutating")


@pytest.fixture
def config_maps(namespace: str) -> str:
    """The URL path of the ConfigMaps in the test's namespace."""
    return f"/api/v1/namespaces/{namespace}/configmaps"

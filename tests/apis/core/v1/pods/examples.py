"""Pods and containers for tests."""

from typing import Any

from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.defaults import default_pod
from memkube.apis.core.v1.pods.strategy_rules import prepare_new_pod
from memkube.apis.core.v1.pods.types import Pod

NOW = Time("2026-01-01T00:00:00Z")


def container(**fields: Any) -> dict[str, Any]:
    """Return a container with a name, an image and these fields."""
    return {"name": "app", "image": "nginx:1.27", **fields}


def pod(*, metadata: dict[str, Any] | None = None, status: dict[str, Any] | None = None, **spec: Any) -> Pod:
    """Return a pod with defaults. It has one container unless the spec has containers."""
    document = {
        "metadata": {"name": "web", "namespace": "default", "resourceVersion": "1", **(metadata or {})},
        "spec": {"containers": [container()], **spec},
        "status": status or {},
    }
    made = Pod.from_document(document)
    default_pod(made)
    return made


def created_pod(*, metadata: dict[str, Any] | None = None, **spec: Any) -> Pod:
    """Return a pod as the server stores it after its creation."""
    made = pod(metadata=metadata, **spec)
    prepare_new_pod(made, NOW)
    return made

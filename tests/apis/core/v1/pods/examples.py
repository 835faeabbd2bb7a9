"""Pods for tests, written as clients write them."""

from typing import Any

from memkube.apimachinery.time import Time
from memkube.apis.core.v1.pods.defaults import default_pod
from memkube.apis.core.v1.pods.strategy_rules import prepare_new_pod
from memkube.apis.core.v1.pods.types import Pod

NOW = Time("2026-01-01T00:00:00Z")


def container(**fields: Any) -> dict[str, Any]:
    """A container with these fields beside a name and an image."""
    return {"name": "app", "image": "nginx:1.27", **fields}


def pod(*, metadata: dict[str, Any] | None = None, status: dict[str, Any] | None = None, **spec: Any) -> Pod:
    """A pod as a client decoded it, with its defaults: one container unless the spec says otherwise."""
    document = {
        "metadata": {"name": "web", "namespace": "default", "resourceVersion": "1", **(metadata or {})},
        "spec": {"containers": [container()], **spec},
        "status": status or {},
    }
    made = Pod.from_document(document)
    default_pod(made)
    return made


def created_pod(*, metadata: dict[str, Any] | None = None, **spec: Any) -> Pod:
    """A pod as the server keeps it after its creation."""
    made = pod(metadata=metadata, **spec)
    prepare_new_pod(made, NOW)
    return made

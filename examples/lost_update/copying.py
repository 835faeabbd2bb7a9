"""What both operators do: for each ConfigMap they keep a Secret of the same name with the same data."""

from typing import Any

from kubernetes import client


def copy(core: Any, settings: Any) -> None:
    """Makes the Secret what the ConfigMap is."""
    metadata = settings.metadata
    body = {"metadata": {"name": metadata.name}, "stringData": settings.data or {}}
    try:
        core.create_namespaced_secret(metadata.namespace, body)
    except client.ApiException as error:
        if error.status != 409:
            raise
        core.patch_namespaced_secret(metadata.name, metadata.namespace, body)


def discard(core: Any, settings: Any) -> None:
    """Takes the Secret away."""
    try:
        core.delete_namespaced_secret(settings.metadata.name, settings.metadata.namespace)
    except client.ApiException as error:
        if error.status != 404:
            raise

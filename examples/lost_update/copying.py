"""The task of both operators: for each ConfigMap, keep a Secret of the same name with the same data."""

from typing import Any

from kubernetes import client


def copy(core: Any, settings: Any) -> None:
    """Create or update the Secret of a ConfigMap."""
    metadata = settings.metadata
    body = {"metadata": {"name": metadata.name}, "stringData": settings.data or {}}
    try:
        core.create_namespaced_secret(metadata.namespace, body)
    except client.ApiException as error:
        if error.status != 409:
            raise
        core.patch_namespaced_secret(metadata.name, metadata.namespace, body)


def discard(core: Any, settings: Any) -> None:
    """Delete the Secret of a ConfigMap."""
    try:
        core.delete_namespaced_secret(settings.metadata.name, settings.metadata.namespace)
    except client.ApiException as error:
        if error.status != 404:
            raise

"""The dynamic client, as far as the operators of this folder use it."""

import time
import traceback
from collections.abc import Callable
from typing import Any

from kubernetes import client, config
from kubernetes.dynamic import DynamicClient
from kubernetes.dynamic.exceptions import NotFoundError

config.load_kube_config()
_client = DynamicClient(client.ApiClient())


class resource:  # noqa: N801  reads like a function
    """The objects of one kind in the namespace default."""

    def __init__(self, version: str, kind: str) -> None:
        self._api = _client.resources.get(api_version=version, kind=kind)

    def find(self, name: str) -> dict[str, Any] | None:
        """Return an object, or None if it does not exist."""
        try:
            found: dict[str, Any] = self._api.get(name=name, namespace="default").to_dict()
        except NotFoundError:
            return None
        return found

    def create(self, body: dict[str, Any]) -> None:
        """Create an object."""
        self._api.create(body=body, namespace="default")

    def merge(self, name: str, patch: dict[str, Any]) -> None:
        """Change an object by a merge patch."""
        self._api.patch(name=name, body=patch, namespace="default", content_type="application/merge-patch+json")


def follow(reconcile: Callable[[dict[str, Any]], None]) -> None:
    """Call a function with each Widget, and with each that changes. Try again behind errors."""
    widgets = _client.resources.get(api_version="example.com/v1", kind="Widget")
    while True:
        try:
            found = widgets.get(namespace="default")
            for widget in found.items:
                reconcile(widget.to_dict())
            version = found.metadata.resourceVersion
            for event in widgets.watch(namespace="default", resource_version=version, timeout=60):
                if event["type"] in ("ADDED", "MODIFIED"):
                    reconcile(event["object"].to_dict())
        except Exception:  # as operators do, whatever went wrong
            traceback.print_exc()
            time.sleep(0.2)

"""The control loop of the operators in this folder: they watch Widgets, and reconcile each Widget that changes."""

import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

from kubernetes import client, config, watch

Widget = dict[str, Any]
KIND = ("example.com", "v1", "default", "widgets")


def run(reconcile: Callable[[Widget], None], **listing: str) -> None:
    """Call `reconcile` for each existing Widget and for each Widget that changes. Retry after errors.

    `listing` are parameters of the list, such as ``resource_version="0"``.
    """
    config.load_kube_config()
    custom = client.CustomObjectsApi()
    while True:
        try:
            found = custom.list_namespaced_custom_object(*KIND, **listing)
            for widget in found["items"]:
                reconcile(widget)
            version = found["metadata"]["resourceVersion"]
            for event in watch.Watch().stream(
                custom.list_namespaced_custom_object, *KIND, resource_version=version, timeout_seconds=60
            ):
                if event["type"] in ("ADDED", "MODIFIED"):
                    reconcile(event["object"])
        except Exception:  # as in operators, any error leads to a retry
            traceback.print_exc(file=sys.stdout)
            time.sleep(0.2)


def owned(widget: Widget, name: str, **content: Any) -> dict[str, Any]:
    """Return an object that is deleted with its Widget."""
    metadata = widget["metadata"]
    owner = {"apiVersion": "example.com/v1", "kind": "Widget", "name": metadata["name"], "uid": metadata["uid"]}
    return {"metadata": {"name": name, "ownerReferences": [owner]}, **content}


def exists(read: Callable[..., Any], name: str) -> bool:
    """Return True if an object exists."""
    try:
        read(name, "default")
    except client.ApiException as error:
        if error.status != 404:
            raise
        return False
    return True

"""The same operator without the bug.

The operator watches from the resourceVersion of its list, so that no change between list and watch is missed. When a
watch ends, the operator continues after the last event; when the history is gone (410), it lists again. It treats each
event as the current state of the object, whether the event is ADDED or MODIFIED.
"""

import threading
from typing import Any

from copying import copy, discard
from kubernetes import client, watch
from urllib3.exceptions import HTTPError

_GONE = 410


def run(core: Any, namespace: str, watching: watch.Watch, stop: threading.Event) -> None:
    """Copy ConfigMaps until `stop` is set."""
    version = ""
    while not stop.is_set():
        try:
            version = version or take_stock(core, namespace)
            for event in watching.stream(core.list_namespaced_config_map, namespace, resource_version=version):
                if event["type"] == "DELETED":
                    discard(core, event["object"])
                else:
                    copy(core, event["object"])
        except HTTPError:
            version = watching.resource_version or ""
        except client.ApiException as error:
            if error.status != _GONE:
                raise
            version = ""


def take_stock(core: Any, namespace: str) -> str:
    """Create, update or delete Secrets to match all ConfigMaps; return the resourceVersion from which to watch."""
    listed = core.list_namespaced_config_map(namespace)
    there = {settings.metadata.name for settings in listed.items}
    for settings in listed.items:
        copy(core, settings)
    # Delete the Secrets of ConfigMaps that were deleted unseen. In a shared namespace, the operator would label its
    # Secrets.
    for secret in core.list_namespaced_secret(namespace).items:
        if secret.metadata.name not in there:
            discard(core, secret)
    version: str = listed.metadata.resource_version
    return version

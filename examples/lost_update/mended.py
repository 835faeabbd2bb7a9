"""The same operator, which loses nothing.

It watches from the resourceVersion of its list on, so that there is nothing between the two. Where a watch ends it goes
on behind the last event; where history is gone (410) it lists again. What it is told of is how things are, whatever the
event is called.
"""

import threading
from typing import Any

from copying import copy, discard
from kubernetes import client, watch
from urllib3.exceptions import HTTPError

_GONE = 410


def run(core: Any, namespace: str, watching: watch.Watch, stop: threading.Event) -> None:
    """Works until it is told to stop."""
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
    """Makes all Secrets what they have to be; returns the resourceVersion from which on to watch."""
    listed = core.list_namespaced_config_map(namespace)
    there = {settings.metadata.name for settings in listed.items}
    for settings in listed.items:
        copy(core, settings)
    # What was deleted while nobody looked. An operator with others beside it would label what is its own.
    for secret in core.list_namespaced_secret(namespace).items:
        if secret.metadata.name not in there:
            discard(core, secret)
    version: str = listed.metadata.resource_version
    return version

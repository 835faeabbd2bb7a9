"""An operator that loses updates, although it appears to work each time that it is tried by hand.

The operator lists, and then watches without the resourceVersion of the list. The server first sends all existing
objects as ADDED events. The operator ignores these events for objects that it knows from its list, even if the objects
have changed in between.
"""

import threading
from typing import Any

from copying import copy, discard
from kubernetes import watch
from urllib3.exceptions import HTTPError


def run(core: Any, namespace: str, watching: watch.Watch, stop: threading.Event) -> None:
    """Copy ConfigMaps until `stop` is set."""
    known = set()
    for settings in core.list_namespaced_config_map(namespace).items:
        known.add(settings.metadata.name)
        copy(core, settings)
    while not stop.is_set():
        try:
            for event in watching.stream(core.list_namespaced_config_map, namespace, resource_version=""):
                settings = event["object"]
                if event["type"] == "DELETED":
                    known.discard(settings.metadata.name)
                    discard(core, settings)
                elif event["type"] == "MODIFIED" or settings.metadata.name not in known:
                    known.add(settings.metadata.name)
                    copy(core, settings)
        except HTTPError:
            pass

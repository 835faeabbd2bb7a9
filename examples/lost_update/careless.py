"""An operator that loses updates, and works each time that it is tried by hand.

It lists, and then watches from wherever the watch begins. The server tells of all present objects at first, as ADDED,
and the operator passes over those that it knows from its list: also when they have changed in between.
"""

import threading
from typing import Any

from copying import copy, discard
from kubernetes import watch
from urllib3.exceptions import HTTPError


def run(core: Any, namespace: str, watching: watch.Watch, stop: threading.Event) -> None:
    """Works until it is told to stop."""
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

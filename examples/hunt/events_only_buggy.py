"""Keeps one ConfigMap for each Widget, and deletes it when it sees that the Widget is deleted.

The bug: if the operator does not see a deletion, because it is not running or its watch has expired, it never deletes
the ConfigMap. Sieve calls this kind of bug "unobserved states", and found it in instaclustr's cassandra-operator, which
left volumes behind.
"""

import time
import traceback

from controller import KIND, Widget, exists
from kubernetes import client, config, watch

config.load_kube_config()
core, custom = client.CoreV1Api(), client.CustomObjectsApi()


def keep(widget: Widget) -> None:
    """Create the ConfigMap of a Widget, unless it exists."""
    name = f"{widget['metadata']['name']}-settings"
    if not exists(core.read_namespaced_config_map, name):
        core.create_namespaced_config_map("default", {"metadata": {"name": name}})


while True:
    try:
        found = custom.list_namespaced_custom_object(*KIND)
        for widget in found["items"]:
            keep(widget)
        version = found["metadata"]["resourceVersion"]
        for event in watch.Watch().stream(
            custom.list_namespaced_custom_object, *KIND, resource_version=version, timeout_seconds=60
        ):
            if event["type"] == "DELETED":
                core.delete_namespaced_config_map(f"{event['object']['metadata']['name']}-settings", "default")
            else:
                keep(event["object"])
    except Exception:  # as operators do, whatever went wrong
        traceback.print_exc()
        time.sleep(0.2)

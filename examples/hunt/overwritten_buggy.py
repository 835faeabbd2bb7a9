"""Writes the number of replicas of each Widget to a ConfigMap that other clients write as well.

The bug: it writes the whole ConfigMap, without the resourceVersion that it has read. If another client writes between
the read and the write, that client's change is lost. client-go's documentation of RetryOnConflict describes the correct
way.
"""

from controller import Widget, run
from kubernetes import client


def reconcile(widget: Widget) -> None:
    """Write the number of replicas of a Widget."""
    core, name = client.CoreV1Api(), widget["metadata"]["name"]
    shared = core.read_namespaced_config_map("shared", "default")
    shared.data = {**(shared.data or {}), name: str(widget["spec"]["replicas"])}
    shared.metadata.resource_version = None
    core.replace_namespaced_config_map("shared", "default", shared)


run(reconcile)

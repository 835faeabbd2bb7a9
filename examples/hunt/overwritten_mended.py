"""Writes the number of replicas of each Widget to a ConfigMap that other clients write as well.

A write that conflicts is retried with the newest ConfigMap.
"""

from controller import Widget, run
from kubernetes import client


def reconcile(widget: Widget) -> None:
    """Write the number of replicas of a Widget."""
    core, name = client.CoreV1Api(), widget["metadata"]["name"]
    shared = core.read_namespaced_config_map("shared", "default")
    shared.data = {**(shared.data or {}), name: str(widget["spec"]["replicas"])}
    core.replace_namespaced_config_map("shared", "default", shared)


run(reconcile)

"""Keeps one ConfigMap for each Widget, which the garbage collector deletes with the Widget."""

from controller import Widget, exists, owned, run
from kubernetes import client


def reconcile(widget: Widget) -> None:
    """Create, update or delete the objects of a Widget as its spec requires."""
    core, name = client.CoreV1Api(), f"{widget['metadata']['name']}-settings"
    if not exists(core.read_namespaced_config_map, name):
        core.create_namespaced_config_map("default", owned(widget, name))


run(reconcile)

"""Creates a ConfigMap for each Widget, whose name contains the number of replicas.

The bug: when the number changes, the ConfigMap for the previous number is not deleted. Acto (SOSP 2023) searches for
this kind of bug: changing an object from A to B must have the same result as creating B.
"""

from controller import Widget, exists, owned, run
from kubernetes import client


def reconcile(widget: Widget) -> None:
    """Create, update or delete the objects of a Widget as its spec requires."""
    core, name = client.CoreV1Api(), f"{widget['metadata']['name']}-for-{widget['spec']['replicas']}"
    if not exists(core.read_namespaced_config_map, name):
        core.create_namespaced_config_map("default", owned(widget, name))


run(reconcile)

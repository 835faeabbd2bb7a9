"""Creates a ConfigMap for each Widget, whose name follows from the number of replicas.

The bug: when the number changes, the ConfigMap of the earlier one is left behind. Acto (SOSP 2023) looks for this kind:
a change from A to B must end where a fresh B ends.
"""

from controller import Widget, exists, owned, run
from kubernetes import client


def reconcile(widget: Widget) -> None:
    """Make the objects of a Widget as they should be."""
    core, name = client.CoreV1Api(), f"{widget['metadata']['name']}-for-{widget['spec']['replicas']}"
    if not exists(core.read_namespaced_config_map, name):
        core.create_namespaced_config_map("default", owned(widget, name))


run(reconcile)

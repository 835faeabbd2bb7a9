"""Creates a ConfigMap for each Widget, named after the number of replicas, and deletes those of other numbers."""

from controller import Widget, exists, owned, run
from kubernetes import client


def reconcile(widget: Widget) -> None:
    """Create, update or delete the objects of a Widget as its spec requires."""
    core, prefix = client.CoreV1Api(), f"{widget['metadata']['name']}-for-"
    name = f"{prefix}{widget['spec']['replicas']}"
    if not exists(core.read_namespaced_config_map, name):
        core.create_namespaced_config_map("default", owned(widget, name))
    for other in core.list_namespaced_config_map("default").items:
        if other.metadata.name.startswith(prefix) and other.metadata.name != name:
            core.delete_namespaced_config_map(other.metadata.name, "default")


run(reconcile)

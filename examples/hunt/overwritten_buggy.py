"""Notes the number of replicas of each Widget in a ConfigMap that other clients write as well.

The bug: it writes the whole ConfigMap, without the resourceVersion that it has read. If another client writes between
the read and the write, the change is lost. client-go's documentation of RetryOnConflict is about the right way.
"""

from controller import Widget, run
from kubernetes import client


def reconcile(widget: Widget) -> None:
    """Note the number of replicas of a Widget."""
    core, name = client.CoreV1Api(), widget["metadata"]["name"]
    shared = core.read_namespaced_config_map("shared", "default")
    shared.data = {**(shared.data or {}), name: str(widget["spec"]["replicas"])}
    shared.metadata.resource_version = None
    core.replace_namespaced_config_map("shared", "default", shared)


run(reconcile)

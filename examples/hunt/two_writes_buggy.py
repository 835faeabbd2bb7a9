"""Creates a ConfigMap and a Secret for each Widget.

The bug: if the ConfigMap exists, the operator assumes that the Secret exists as well. If it exits between the two
writes, the Secret is never created. Sieve calls this kind of bug "intermediate states", and found it in
rabbitmq/cluster-operator, in the expansion of volumes.
"""

from controller import Widget, exists, owned, run
from kubernetes import client


def reconcile(widget: Widget) -> None:
    """Create, update or delete the objects of a Widget as its spec requires."""
    core, name = client.CoreV1Api(), widget["metadata"]["name"]
    if not exists(core.read_namespaced_config_map, f"{name}-settings"):
        core.create_namespaced_config_map("default", owned(widget, f"{name}-settings", data={"size": "1"}))
        core.create_namespaced_secret("default", owned(widget, f"{name}-password", stringData={"word": "secret"}))


run(reconcile)

"""Creates a ConfigMap and a Secret for each Widget, and checks for each of them whether it exists."""

from controller import Widget, exists, owned, run
from kubernetes import client


def reconcile(widget: Widget) -> None:
    """Create, update or delete the objects of a Widget as its spec requires."""
    core, name = client.CoreV1Api(), widget["metadata"]["name"]
    if not exists(core.read_namespaced_config_map, f"{name}-settings"):
        core.create_namespaced_config_map("default", owned(widget, f"{name}-settings", data={"size": "1"}))
    if not exists(core.read_namespaced_secret, f"{name}-password"):
        core.create_namespaced_secret("default", owned(widget, f"{name}-password", stringData={"word": "secret"}))


run(reconcile)

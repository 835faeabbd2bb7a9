"""Creates a Secret for each Widget, with a name derived from the Widget's, and writes the name to the status."""

from controller import KIND, Widget, exists, owned, run
from kubernetes import client


def reconcile(widget: Widget) -> None:
    """Create, update or delete the objects of a Widget as its spec requires."""
    if (widget.get("status") or {}).get("secret"):
        return
    core, name = client.CoreV1Api(), widget["metadata"]["name"]
    if not exists(core.read_namespaced_secret, f"{name}-password"):
        core.create_namespaced_secret("default", owned(widget, f"{name}-password", stringData={"word": "secret"}))
    status = {"status": {"secret": f"{name}-password"}}
    client.CustomObjectsApi().patch_namespaced_custom_object_status(*KIND, name, status)


run(reconcile)

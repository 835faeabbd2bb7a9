"""Creates a Secret with a generated name for each Widget, and writes the name to the status.

The bug: if the response to the creation is lost, the operator creates another Secret. The first one is never used, and
exists until the Widget is deleted.
"""

from controller import KIND, Widget, owned, run
from kubernetes import client


def reconcile(widget: Widget) -> None:
    """Create, update or delete the objects of a Widget as its spec requires."""
    if (widget.get("status") or {}).get("secret"):
        return
    name = widget["metadata"]["name"]
    secret = owned(widget, "", stringData={"word": "secret"})
    secret["metadata"]["generateName"] = f"{name}-"
    created = client.CoreV1Api().create_namespaced_secret("default", secret)
    status = {"status": {"secret": created.metadata.name}}
    client.CustomObjectsApi().patch_namespaced_custom_object_status(*KIND, name, status)


run(reconcile)

"""Creates a Secret with a generated name for each Widget, and notes the name in the status.

The bug: if the answer to the creation gets lost, it creates another Secret, and the first one is never used nor deleted
before the Widget is.
"""

from controller import KIND, Widget, owned, run
from kubernetes import client


def reconcile(widget: Widget) -> None:
    """Make the objects of a Widget as they should be."""
    if (widget.get("status") or {}).get("secret"):
        return
    name = widget["metadata"]["name"]
    secret = owned(widget, "", stringData={"word": "secret"})
    secret["metadata"]["generateName"] = f"{name}-"
    created = client.CoreV1Api().create_namespaced_secret("default", secret)
    status = {"status": {"secret": created.metadata.name}}
    client.CustomObjectsApi().patch_namespaced_custom_object_status(*KIND, name, status)


run(reconcile)

"""Writes the number of replicas of each Widget to its status, as the leader of several processes.

The bug: the operator keeps working after it has lost its Lease, so that two processes act at the same time. The
documentation of client-go's leader election says that a program must exit when OnStoppedLeading is called; several
operators only logged the call.
"""

from controller import KIND, Widget, run
from kubernetes import client, config
from lease import lead

config.load_kube_config()


def reconcile(widget: Widget) -> None:
    """Create, update or delete the objects of a Widget as its spec requires."""
    replicas = widget["spec"]["replicas"]
    if (widget.get("status") or {}).get("replicas") != replicas:
        name, status = widget["metadata"]["name"], {"status": {"replicas": replicas}}
        client.CustomObjectsApi().patch_namespaced_custom_object_status(*KIND, name, status)


lead(on_loss=lambda: print("I have lost my lease", flush=True))
run(reconcile)

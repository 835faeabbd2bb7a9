"""Writes the number of replicas of each Widget to its status, as the leader of several processes.

The operator exits if it could not renew its Lease before the Lease expired.
"""

import os

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


lead(on_loss=lambda: os._exit(1))
run(reconcile)

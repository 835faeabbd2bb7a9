"""Creates a Secret with a generated name for each Widget, and writes the name to the status. Each event gets a thread.

The bug: if the watch ends with 410 right after an event, the operator lists the Widget again while the first thread is
still working. The second thread does not find a name in the status either, and creates another Secret.
"""

import time
import traceback
from threading import Thread

from controller import KIND, Widget, owned
from kubernetes import client, config, watch

config.load_kube_config()
core, custom = client.CoreV1Api(), client.CustomObjectsApi()


def reconcile(widget: Widget) -> None:
    """Create the Secret of a Widget, unless its status has the name of one."""
    if (widget.get("status") or {}).get("secret"):
        return
    name = widget["metadata"]["name"]
    time.sleep(1.5)  # as if it got the password from another service
    secret = owned(widget, "", stringData={"word": "secret"})
    secret["metadata"]["generateName"] = f"{name}-"
    created = core.create_namespaced_secret("default", secret)
    custom.patch_namespaced_custom_object_status(*KIND, name, {"status": {"secret": created.metadata.name}})


while True:
    try:
        found = custom.list_namespaced_custom_object(*KIND)
        for widget in found["items"]:
            Thread(target=reconcile, args=[widget]).start()
        version = found["metadata"]["resourceVersion"]
        for event in watch.Watch().stream(
            custom.list_namespaced_custom_object, *KIND, resource_version=version, timeout_seconds=60
        ):
            if event["type"] in ("ADDED", "MODIFIED"):
                Thread(target=reconcile, args=[event["object"]]).start()
    except Exception:  # as in operators, any error leads to a new list
        traceback.print_exc()
        time.sleep(0.2)

"""Creates a Secret for each Widget, and writes its name to the status. Each event gets a thread.

The name of the Secret follows from the name of the Widget, so a second thread cannot create another one. A thread tries
again after errors.
"""

import time
import traceback
from threading import Thread

from controller import KIND, Widget, owned
from kubernetes import client, config, watch

config.load_kube_config()
core, custom = client.CoreV1Api(), client.CustomObjectsApi()


def make_secret(name: str) -> None:
    """Create the Secret of a Widget unless it exists, and write its name to the status."""
    try:
        widget: Widget = custom.get_namespaced_custom_object(*KIND, name)
    except client.ApiException as error:
        if error.status != 404:
            raise
        return
    if (widget.get("status") or {}).get("secret") or widget["metadata"].get("deletionTimestamp"):
        return
    time.sleep(1.5)  # as if it got the password from another service
    secret = owned(widget, f"{name}-password", stringData={"word": "secret"})
    try:
        core.create_namespaced_secret("default", secret)
    except client.ApiException as error:
        if error.status != 409:
            raise
        found = core.read_namespaced_secret(f"{name}-password", "default")
        if found.metadata.owner_references[0].uid != widget["metadata"]["uid"]:
            raise  # The Secret of an earlier Widget with this name is about to be deleted.
    custom.patch_namespaced_custom_object_status(*KIND, name, {"status": {"secret": f"{name}-password"}})


def reconcile(name: str) -> None:
    """Make the Secret of a Widget. Try again after errors."""
    while True:
        try:
            make_secret(name)
        except Exception:
            traceback.print_exc()
            time.sleep(0.5)
        else:
            return


while True:
    try:
        found = custom.list_namespaced_custom_object(*KIND)
        for widget in found["items"]:
            Thread(target=reconcile, args=[widget["metadata"]["name"]]).start()
        version = found["metadata"]["resourceVersion"]
        for event in watch.Watch().stream(
            custom.list_namespaced_custom_object, *KIND, resource_version=version, timeout_seconds=60
        ):
            if event["type"] in ("ADDED", "MODIFIED"):
                Thread(target=reconcile, args=[event["object"]["metadata"]["name"]]).start()
    except Exception:  # as in operators, any error leads to a new list
        traceback.print_exc()
        time.sleep(0.2)

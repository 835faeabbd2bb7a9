"""Creates a ConfigMap outside the reach of the garbage collector for each Widget, and deletes it by a finalizer.

A ConfigMap that is gone already need not be deleted.
"""

from controller import KIND, Widget, exists, run
from kubernetes import client

FINALIZER = "example.com/settings"


def reconcile(widget: Widget) -> None:
    """Make the objects of a Widget as they should be."""
    core, custom, metadata = client.CoreV1Api(), client.CustomObjectsApi(), widget["metadata"]
    name, finalizers = f"{metadata['name']}-settings", metadata.get("finalizers", [])
    if "deletionTimestamp" in metadata:
        if FINALIZER in finalizers:
            try:
                core.delete_namespaced_config_map(name, "default")
            except client.ApiException as error:
                if error.status != 404:
                    raise
            custom.patch_namespaced_custom_object(*KIND, metadata["name"], {"metadata": {"finalizers": None}})
        return
    if FINALIZER not in finalizers:
        custom.patch_namespaced_custom_object(*KIND, metadata["name"], {"metadata": {"finalizers": [FINALIZER]}})
    if not exists(core.read_namespaced_config_map, name):
        core.create_namespaced_config_map("default", {"metadata": {"name": name}})


run(reconcile)

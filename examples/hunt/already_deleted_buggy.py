"""Creates a ConfigMap outside the reach of the garbage collector for each Widget, and deletes it by a finalizer.

The bug: it does not expect that the ConfigMap is gone already. If it ends before its finalizer is removed, the deletion
fails with 404 each time, and the Widget is terminating for ever. streamnative/pulsar-resources-operator had this bug
(issue 114), and many others.
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
            core.delete_namespaced_config_map(name, "default")
            custom.patch_namespaced_custom_object(*KIND, metadata["name"], {"metadata": {"finalizers": None}})
        return
    if FINALIZER not in finalizers:
        custom.patch_namespaced_custom_object(*KIND, metadata["name"], {"metadata": {"finalizers": [FINALIZER]}})
    if not exists(core.read_namespaced_config_map, name):
        core.create_namespaced_config_map("default", {"metadata": {"name": name}})


run(reconcile)

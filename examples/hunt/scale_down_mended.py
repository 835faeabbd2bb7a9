"""Keeps as many ConfigMaps as its Widget has replicas, and deletes the others. They represent volumes with data.

It reads the newest Widget before it deletes anything.
"""

from controller import KIND, Widget, run
from kubernetes import client, config

config.load_kube_config()
core, custom = client.CoreV1Api(), client.CustomObjectsApi()


def reconcile(widget: Widget) -> None:
    """Create, update or delete the objects of a Widget as its spec requires."""
    name, wanted = widget["metadata"]["name"], widget["spec"]["replicas"]
    found = [one.metadata.name for one in core.list_namespaced_config_map("default").items]
    for number in range(wanted):
        if f"{name}-data-{number}" not in found:
            core.create_namespaced_config_map("default", {"metadata": {"name": f"{name}-data-{number}"}})
    surplus = [one for one in found if one.startswith(f"{name}-data-") and int(one.rpartition("-")[2]) >= wanted]
    if not surplus:
        return
    newest = custom.get_namespaced_custom_object(*KIND, name)
    if newest["metadata"]["uid"] != widget["metadata"]["uid"] or newest["spec"]["replicas"] != wanted:
        return
    for one in surplus:
        core.delete_namespaced_config_map(one, "default")


# As client-go's informers do: list from the API server's cache, which may lag behind.
run(reconcile, resource_version="0")

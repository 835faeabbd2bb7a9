"""Keeps as many ConfigMaps as its Widget has replicas, and deletes the others. They represent volumes with data.

The bug: it decides about deletions by the state in its informer. If it is restarted while the API server's cache lags
behind, it sees an earlier, smaller number of replicas, and deletes data that is in use. Sieve calls this kind of bug
"stale states", and found it in pravega/zookeeper-operator, which deleted volumes.
"""

from controller import Widget, run
from kubernetes import client, config

config.load_kube_config()
core = client.CoreV1Api()


def reconcile(widget: Widget) -> None:
    """Create, update or delete the objects of a Widget as its spec requires."""
    name, wanted = widget["metadata"]["name"], widget["spec"]["replicas"]
    found = [one.metadata.name for one in core.list_namespaced_config_map("default").items]
    for number in range(wanted):
        if f"{name}-data-{number}" not in found:
            core.create_namespaced_config_map("default", {"metadata": {"name": f"{name}-data-{number}"}})
    surplus = [one for one in found if one.startswith(f"{name}-data-") and int(one.rpartition("-")[2]) >= wanted]
    for one in surplus:
        core.delete_namespaced_config_map(one, "default")


# As client-go's informers do: list from the API server's cache, which may lag behind.
run(reconcile, resource_version="0")

"""Creates a ConfigMap for each Widget, with kopf, and keeps its number of replicas.

The bug: the handler does not expect that the ConfigMap already exists. If the operator exits before kopf has recorded
the success, or if the response is lost, kopf calls the handler again, which then fails each time. For this reason,
kopf's documentation asks for idempotent handlers.
"""

import asyncio
from typing import Any

import kopf
from kubernetes import client, config

config.load_kube_config()


@kopf.on.create("widgets.example.com", backoff=1)
def create(name: str, spec: dict[str, Any], body: kopf.Body, **_: Any) -> None:
    """Create the ConfigMap."""
    wanted = {"metadata": {"name": f"{name}-settings"}, "data": {"replicas": str(spec["replicas"])}}
    kopf.adopt(wanted, owner=body)
    client.CoreV1Api().create_namespaced_config_map("default", wanted)


@kopf.on.update("widgets.example.com", backoff=1)
def update(name: str, spec: dict[str, Any], **_: Any) -> None:
    """Update the ConfigMap."""
    changed = {"data": {"replicas": str(spec["replicas"])}}
    client.CoreV1Api().patch_namespaced_config_map(f"{name}-settings", "default", changed)


asyncio.run(kopf.operator(standalone=True, clusterwide=True))

"""Creates a ConfigMap for each Widget, with kopf, and keeps its number of replicas.

The bug: it does not expect that the ConfigMap exists already. If it ends before kopf has noted its success, or if the
answer is lost, kopf calls the handler again, which then fails each time. kopf's documentation asks for idempotent
handlers for this reason.
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
    """Bring the ConfigMap up to date."""
    changed = {"data": {"replicas": str(spec["replicas"])}}
    client.CoreV1Api().patch_namespaced_config_map(f"{name}-settings", "default", changed)


asyncio.run(kopf.operator(standalone=True, clusterwide=True))

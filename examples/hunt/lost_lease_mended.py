"""Notes the number of replicas of each Widget in its status, as the leader of several processes.

It exits if it could not renew its Lease for as long as that lasts.
"""

import os
import threading
import time
import traceback
import uuid
from datetime import UTC, datetime
from typing import Any

from controller import KIND, Widget, run
from kubernetes import client, config

LASTS = 3
ME = str(uuid.uuid4())
config.load_kube_config()


def hold(lease: dict[str, Any] | None) -> None:
    """Create or renew the Lease. Raises ApiException if another process was faster."""
    leases = client.CoordinationV1Api()
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    spec = {"holderIdentity": ME, "leaseDurationSeconds": LASTS, "renewTime": now}
    if lease is None:
        leases.create_namespaced_lease("default", {"metadata": {"name": "widgets"}, "spec": spec})
    else:
        leases.replace_namespaced_lease("widgets", "default", {"metadata": lease["metadata"], "spec": spec})


def try_to_lead() -> bool:
    """Return True if this process holds the Lease, after it was taken or renewed."""
    api = client.ApiClient()
    try:
        found = api.sanitize_for_serialization(
            client.CoordinationV1Api(api).read_namespaced_lease("widgets", "default")
        )
    except client.ApiException as error:
        if error.status != 404:
            raise
        hold(None)
        return True
    spec = found["spec"]
    age = datetime.now(UTC) - datetime.fromisoformat(spec["renewTime"])
    if spec.get("holderIdentity") not in (None, "", ME) and age.total_seconds() < spec["leaseDurationSeconds"]:
        return False
    hold(found)
    return True


def keep_leading() -> None:
    """Renew the Lease for as long as the process lives."""
    renewed = time.monotonic()
    while True:
        time.sleep(LASTS / 3)
        try:
            if try_to_lead():
                renewed = time.monotonic()
        except Exception:  # as operators do, whatever went wrong
            traceback.print_exc()
        if time.monotonic() - renewed > LASTS:
            os._exit(1)


def reconcile(widget: Widget) -> None:
    """Make the objects of a Widget as they should be."""
    replicas = widget["spec"]["replicas"]
    if (widget.get("status") or {}).get("replicas") != replicas:
        name, status = widget["metadata"]["name"], {"status": {"replicas": replicas}}
        client.CustomObjectsApi().patch_namespaced_custom_object_status(*KIND, name, status)


while True:
    try:
        if try_to_lead():
            break
    except client.ApiException:
        traceback.print_exc()
    time.sleep(0.5)
threading.Thread(target=keep_leading, daemon=True).start()
run(reconcile)

"""Leader election of the operators of this folder, by a Lease as in client-go."""

import threading
import time
import traceback
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from kubernetes import client

LASTS = 3
ME = str(uuid.uuid4())


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
    """Acquire or renew the Lease if possible. Return True if this process holds it now."""
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


def lead(on_loss: Callable[[], None]) -> None:
    """Wait until this process holds the Lease, and renew the Lease from then on.

    `on_loss` is called in another thread each time that a renewal fails after the Lease has expired.
    """
    while True:
        try:
            if try_to_lead():
                break
        except client.ApiException:
            traceback.print_exc()
        time.sleep(0.5)
    threading.Thread(target=_keep_leading, args=(on_loss,), daemon=True).start()


def _keep_leading(on_loss: Callable[[], None]) -> None:
    renewed = time.monotonic()
    while True:
        time.sleep(LASTS / 3)
        try:
            if try_to_lead():
                renewed = time.monotonic()
        except Exception:  # as operators do, whatever went wrong
            traceback.print_exc()
        if time.monotonic() - renewed > LASTS:
            on_loss()

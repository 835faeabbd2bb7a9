"""What the first pod and the first heartbeat of a server need: imported beside the requests, which need not wait."""

import sys
import threading
from importlib import import_module
from typing import Final

MODULES: Final = tuple(
    f"memkube.{name}"
    for name in (
        "apis.core.v1.pods.strategy",
        "apis.core.v1.pods.binding",
        "admission.limit_ranger",
        "admission.pod_security.plugin",
        "admission.priority",
        "admission.default_toleration_seconds",
        "admission.runtime_class",
        "admission.pod_topology_labels",
        "admission.pod_resize",
        "admission.namespace_lifecycle",
        "admission.policies.plugin",
        "admission.webhooks.plugin",
        "admission.resource_quota.plugin",
        "apis.core.v1.events.strategy",
        "apis.coordination.v1.leases.strategy",
        "controllers.job.controller",
        "controllers.scheduler.controller",
        "controllers.disruption.controller",
        "controllers.taint_eviction",
        "controllers.kubelet.environment",
        "controllers.kubelet.pod",
        "controllers.kubelet.pod_status",
    )
)
"""With all that they import themselves."""
_SECONDS: Final = 1.0
"""Whoever waits for the first answer is not to wait for this."""
_TURN_SECONDS: Final = 0.001


def prepare_soon(seconds: float = _SECONDS) -> threading.Thread:
    """Imports them in a while, in a thread that ends with the program."""
    timer = threading.Timer(seconds, _prepare)
    timer.daemon = True
    timer.start()
    return timer


def _prepare() -> None:
    # Requests are to have the interpreter when they ask for it, not five milliseconds later.
    before = sys.getswitchinterval()
    sys.setswitchinterval(_TURN_SECONDS)
    try:
        for name in MODULES:
            import_module(name)
    finally:
        sys.setswitchinterval(before)

"""Time that the startup and readiness probes of a new pod need before the pod can be ready."""

from datetime import datetime
from typing import Final

from memkube.apimachinery.model import Document

_DEFAULT_PERIOD_SECONDS: Final = 10
_MARGIN_SECONDS: Final = 1.0


def seconds_until_ready(pod: Document, now: datetime) -> float:
    """Return the seconds that the startup and readiness probes of a pod may still need to succeed.

    The result is 0 if all containers are ready, or have run for longer than their probes need. Containers that have
    restarted are ignored, because their probes may never succeed.
    """
    specs = {one["name"]: one for one in pod["spec"]["containers"]}
    found = [0.0]
    for status in pod.get("status", {}).get("containerStatuses", ()):
        started = (status.get("state") or {}).get("running", {}).get("startedAt")
        if not started or status.get("ready") or status.get("restartCount"):
            continue
        spec = specs.get(status["name"], {})
        probes = [spec[name] for name in ("startupProbe", "readinessProbe") if spec.get(name)]
        needed = sum(
            one.get("initialDelaySeconds", 0) + one.get("periodSeconds", _DEFAULT_PERIOD_SECONDS) for one in probes
        )
        elapsed = (now - datetime.fromisoformat(started)).total_seconds()
        found.append(needed + _MARGIN_SECONDS - elapsed if probes else 0.0)
    return max(found)

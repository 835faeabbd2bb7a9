"""A day of a cluster with 20 nodes, 500 pods, 20 CronJobs and an autoscaler: ``python -m tests.scenarios.day [HOURS]``.

Prints the report in JSON, and the duration to standard error. A quarter of the day has all that happens in it.
"""

import json
import sys
import time
from typing import Any

import memkube


def _deployment(name: str, replicas: int) -> dict[str, Any]:
    container = {"name": "app", "image": "app:1", "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}}}
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def _cron_job(number: int) -> dict[str, Any]:
    container = {"name": "job", "image": "job:1", "command": ["sleep", "30"]}
    pod = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    spec = {"schedule": f"{number * 3} * * * *", "jobTemplate": {"spec": {"template": pod}}}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": f"cron-{number}"}, "spec": spec}


def _autoscaler() -> dict[str, Any]:
    cpu = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}}
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web-0"}
    spec = {"scaleTargetRef": target, "minReplicas": 20, "maxReplicas": 40, "metrics": [cpu]}
    return {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "web"},
        "spec": spec,
    }


SCENARIO: dict[str, Any] = {
    "name": "a day",
    "cluster": {"nodes": 20, "zones": 4},
    "setup": [
        *(_deployment(f"web-{number}", 20) for number in range(25)),
        *(_cron_job(number) for number in range(20)),
        _autoscaler(),
    ],
    "steps": [
        {"at": "01:00", "for": "3h", "load": {"labelSelector": "app=web-0", "cpu": "60m"}},
        {"at": "02:00", "for": "10m", "failNode": "node-7"},
    ],
    "until": "24h",
    "expect": [
        {"resource": "pods", "labels": "app=web-0", "count": 20},
        {"resource": "pods", "labels": "app", "count": 500},
        {"resource": "jobs", "atLeast": 20},
    ],
}


if __name__ == "__main__":
    started = time.perf_counter()
    hours = sys.argv[1] if len(sys.argv) > 1 else "24"
    json.dump(memkube.play({**SCENARIO, "until": f"{hours}h"}, seed=7).to_document(), sys.stdout)
    sys.stderr.write(f"{hours} hours in {time.perf_counter() - started:.0f} s\n")

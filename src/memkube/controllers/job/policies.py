"""What ends of pods mean for their Job (``pod_failure_policy.go`` and ``success_policy.go``)."""

from dataclasses import dataclass
from typing import Any

from memkube.apis.batch.v1.jobs.types import Job, PodFailurePolicyRule
from memkube.apis.batch.v1.jobs.types import PodFailurePolicyOnExitCodesRequirement as ExitCodes
from memkube.controllers.job.indexes import Indexes
from memkube.registry.stored import StoredObject


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a pod's failure means."""

    counts: bool = True
    """Whether it counts towards the limits of failures."""
    fails_index: bool = False
    """Whether its index has failed for good."""
    fails_job: str | None = None
    """Why the whole Job has failed, if it has."""


def verdict_on(pod: StoredObject, job: Job) -> Verdict:
    """What the first rule that fits says; without any the failure counts."""
    policy = job.spec.podFailurePolicy
    for position, rule in enumerate(policy.rules if policy else ()):
        found = _found(pod, rule)
        if found is None:
            continue
        match rule.action:
            case "Ignore":
                return Verdict(counts=False)
            case "FailIndex":
                return Verdict(fails_index=True)
            case "FailJob":
                return Verdict(fails_job=f"{found} matching FailJob rule at index {position}")
            case _:
                return Verdict()
    return Verdict()


def met_success_policy(job: Job, succeeded: Indexes) -> str | None:
    """The message that tells which rule of an indexed Job's success policy is met, if one is."""
    policy = job.spec.successPolicy
    if policy is None or not succeeded:
        return None
    for position, rule in enumerate(policy.rules):
        message = f"Matched rules at index {position}"
        if rule.succeededIndexes is None:
            if rule.succeededCount is not None and len(succeeded) >= rule.succeededCount:
                return message
            continue
        wanted = Indexes.parse(rule.succeededIndexes, job.spec.completions or 0)
        enough = len(wanted) if rule.succeededCount is None else min(rule.succeededCount, len(wanted))
        if wanted and wanted.overlap(succeeded) >= enough:
            return message
    return None


def _found(pod: StoredObject, rule: PodFailurePolicyRule) -> str | None:
    """What fits a rule, in words, if anything does."""
    status = pod.document["status"]
    if rule.onExitCodes is not None:
        container = _fitting_container(status, rule.onExitCodes)
        if container is None:
            return None
        code = container["state"]["terminated"]["exitCode"]
        return f"Container {container['name']} for pod {pod.namespace}/{pod.name} failed with exit code {code}"
    patterns = {(pattern.type, pattern.status) for pattern in rule.onPodConditions}
    conditions = (c["type"] for c in status.get("conditions") or [] if (c["type"], c["status"]) in patterns)
    condition = next(conditions, None)
    return None if condition is None else f"Pod {pod.namespace}/{pod.name} has condition {condition}"


def _fitting_container(status: dict[str, Any], codes: ExitCodes) -> dict[str, Any] | None:
    containers = [*(status.get("containerStatuses") or []), *(status.get("initContainerStatuses") or [])]
    for container in containers:
        code = ((container.get("state") or {}).get("terminated") or {}).get("exitCode", 0)
        named = codes.containerName is None or codes.containerName == container["name"]
        if code and named and (code in codes.values) == (codes.operator == "In"):
            return dict(container)
    return None

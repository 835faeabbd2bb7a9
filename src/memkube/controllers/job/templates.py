"""The pods that a Job makes (``manageJob`` and ``indexed_job_utils.go``)."""

from typing import Final

from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.types.containers import Container
from memkube.apis.core.v1.podspec.types.env import EnvVar
from memkube.controllers.job.pods import (
    FAILURES,
    FINALIZER,
    IGNORED_FAILURES,
    INDEX,
    failures_of,
    ignored_failures_of,
)
from memkube.controllers.job.policies import verdict_on
from memkube.controllers.job.progress import Progress
from memkube.controllers.workloads.pod_control import pod_of
from memkube.registry.resource import Resource

_ENVIRONMENT: Final = "JOB_COMPLETION_INDEX"
_LONGEST_PREFIX: Final = 58


def new_pod(progress: Progress, resource: Resource, index: int | None) -> Pod:
    """A pod of a Job, for one index where it is indexed."""
    pod = pod_of(progress.stored.document["spec"]["template"], progress.stored, resource)
    if FINALIZER not in pod.metadata.finalizers:
        pod.metadata.finalizers = [*pod.metadata.finalizers, FINALIZER]
    if index is not None:
        _number(pod, progress.stored.name, index)
        if progress.limits_indexes:
            _note_failures(pod, progress, index)
    return pod


def _number(pod: Pod, job: str, index: int) -> None:
    pod.metadata.annotations[INDEX] = pod.metadata.labels[INDEX] = str(index)
    pod.spec.hostname = f"{job}-{index}"
    end = f"-{index}-"
    pod.metadata.generateName = job[: _LONGEST_PREFIX - len(end)] + end
    for container in [*pod.spec.initContainers, *pod.spec.containers]:
        _tell_index(container)


def _tell_index(container: Container) -> None:
    if all(variable.name != _ENVIRONMENT for variable in container.env):
        source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}
        variable = EnvVar.from_document({"name": _ENVIRONMENT, "valueFrom": source})
        container.env = [*container.env, variable]


def _note_failures(pod: Pod, progress: Progress, index: int) -> None:
    failed, counted, ignored = progress.delayed.get(index), 0, 0
    if failed is not None:
        counts = verdict_on(failed, progress.job).counts
        counted, ignored = failures_of(failed) + counts, ignored_failures_of(failed) + (not counts)
    pod.metadata.annotations[FAILURES] = str(counted)
    if ignored:
        pod.metadata.annotations[IGNORED_FAILURES] = str(ignored)

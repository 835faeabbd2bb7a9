"""Jobs that are left alone."""

from typing import Final

from memkube.registry.stored import StoredObject

_THIS: Final = "kubernetes.io/job-controller"


def is_finished(job: StoredObject) -> bool:
    """Whether a Job has succeeded or failed."""
    conditions = job.document["status"].get("conditions") or []
    return any(each["type"] in ("Complete", "Failed") and each["status"] == "True" for each in conditions)


def is_managed_elsewhere(job: StoredObject) -> bool:
    """Whether a Job says that another controller runs it."""
    manager: str = job.document["spec"].get("managedBy", _THIS)
    return manager != _THIS

"""Conditions that a grader checks: on objects, Deployments, Services, access rights and NetworkPolicies."""

from typing import Any, Final

from pydantic import Field, field_validator, model_validator

from memkube.apimachinery.model import Document
from memkube.apimachinery.strict_model import StrictModel
from memkube.cluster.expressions import ObjectExpression
from memkube.cluster.synchronous import Memkube
from memkube.control.object_conditions import conditions_of
from memkube.errors import Refused
from memkube.gym.access import ServiceAccountAccess
from memkube.gym.traffic import Traffic

_NOT_FOUND: Final = 404
_ENDED: Final = ("Failed", "Succeeded")


class OfObject(StrictModel):
    """Resource, name and namespace of the object that a condition of a goal is about."""

    resource: str
    name: str
    namespace: str = ""

    def found(self, kube: Memkube) -> Document | None:
        """Return the object from the cluster, or None if it does not exist."""
        return _found(kube, self.resource, self.name, self.namespace)

    def __str__(self) -> str:
        return f"{self.resource} {self.name}"


class Holds(OfObject):
    """A condition: a CEL expression is true for an object."""

    expression: str = Field(
        description="CEL expression that must be true; its variable 'object' is the object named by the other fields."
    )

    @field_validator("expression")
    @classmethod
    def _is_valid(cls, text: str) -> str:
        ObjectExpression(text)
        return text

    def failure(self, kube: Memkube) -> str:
        """Return a text that says why the condition is not met in the cluster `kube`; empty if it is met."""
        return self.failure_of(self.found(kube))

    def failure_of(self, state: Document | None) -> str:
        """Return why `state`, a revision of the object or None, does not meet the condition; empty if it does."""
        if state is None:
            return f"{self} does not exist"
        complaint = ObjectExpression(self.expression).complaint(state)
        return f"{self}: {complaint}" if complaint else ""


class Invariant(Holds):
    """A CEL expression that must be true in every revision of an object during the episode."""


class Gone(OfObject):
    """A condition: an object does not exist."""

    def failure(self, kube: Memkube) -> str:
        """Return a text that says why the condition is not met in the cluster `kube`; empty if it is met."""
        return f"{self} exists" if self.found(kube) is not None else ""


class Healthy(StrictModel):
    """A condition: a Deployment is rolled out, and all its pods are ready."""

    deployment: str
    namespace: str
    replicas: int = Field(ge=1, description="Minimum of the Deployment's `spec.replicas`; all replicas must be ready.")

    def failure(self, kube: Memkube) -> str:
        """Return a text that says why the condition is not met in the cluster `kube`; empty if it is met."""
        what = f"deployment {self.deployment}"
        found = _found(kube, "deployments", self.deployment, self.namespace)
        if found is None:
            return f"{what} does not exist"
        wanted = found["spec"]["replicas"]
        status = found.get("status", {})
        counts = [status.get(field, 0) for field in ("replicas", "updatedReplicas", "readyReplicas")]
        if wanted < self.replicas or counts != [wanted] * 3:
            return f"{what} has {counts[2]} ready pods of {max(wanted, self.replicas)}"
        if status.get("observedGeneration") != found["metadata"]["generation"]:
            return f"{what} is not observed"
        pods = pods_of(kube, found)
        not_ready = [pod["metadata"]["name"] for pod in pods if not is_ready(pod)]
        if len(pods) != wanted or not_ready:
            return f"{what}: pods {', '.join(not_ready) or 'are missing'} not ready"
        return ""


class Serves(StrictModel):
    """A condition: the ready endpoints of a Service are exactly the ready pods of a Deployment."""

    service: str
    namespace: str
    deployment: str

    def failure(self, kube: Memkube) -> str:
        """Return a text that says why the condition is not met in the cluster `kube`; empty if it is met."""
        deployment = _found(kube, "deployments", self.deployment, self.namespace)
        if deployment is None:
            return f"deployment {self.deployment} does not exist"
        pods = {pod["metadata"]["uid"] for pod in pods_of(kube, deployment) if is_ready(pod)}
        labels = f"kubernetes.io/service-name={self.service}"
        endpoints = [
            (endpoint.get("targetRef") or {}).get("uid")
            for endpoint_slice in kube.objects("endpointslices", self.namespace, labels)
            for endpoint in endpoint_slice.get("endpoints") or ()
            if endpoint.get("conditions", {}).get("ready")
        ]
        if not pods or set(endpoints) != pods:
            return f"service {self.service} has {len(endpoints)} ready endpoints; deployment has {len(pods)} ready pods"
        return ""


class Goal(StrictModel):
    """A goal that the agent must reach. Exactly one field is set; each field is a kind of condition."""

    holds: Holds | None = None
    gone: Gone | None = None
    healthy: Healthy | None = None
    serves: Serves | None = None
    access: ServiceAccountAccess | None = None
    traffic: Traffic | None = None

    @model_validator(mode="after")
    def _is_one(self) -> "Goal":
        if len(self.model_fields_set) != 1:
            raise ValueError(f"a goal must have exactly one of the fields {', '.join(Goal.model_fields)}")
        return self

    def failure(self, kube: Memkube) -> str:
        """Return a text that says why the cluster `kube` has not reached the goal; empty if it has."""
        condition: Any = getattr(self, next(iter(self.model_fields_set)))
        text: str = condition.failure(kube)
        return text


def pods_of(kube: Memkube, deployment: Document) -> list[Document]:
    """Return the pods of a Deployment's ReplicaSets in the cluster `kube`, except succeeded and failed pods."""
    namespace, uid = deployment["metadata"]["namespace"], deployment["metadata"]["uid"]
    owners = {s["metadata"]["uid"] for s in kube.objects("replicasets", namespace) if controller_of(s) == uid}
    pods = kube.objects("pods", namespace)
    return [pod for pod in pods if controller_of(pod) in owners and pod["status"].get("phase") not in _ENDED]


def controller_of(document: Document) -> str:
    """Return the uid of an object's controller (``ownerReferences`` with ``controller: true``); "" if it has none."""
    owners = document["metadata"].get("ownerReferences") or ()
    return next((str(owner["uid"]) for owner in owners if owner.get("controller")), "")


def is_ready(pod: Document) -> bool:
    """Return True if a pod is ready and not terminating."""
    ready = any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions_of(pod))
    return ready and not pod["metadata"].get("deletionTimestamp")


def _found(kube: Memkube, resource: str, name: str, namespace: str) -> Document | None:
    try:
        return kube.object(resource, name, namespace)
    except Refused as error:
        if error.code != _NOT_FOUND:
            raise
        return None

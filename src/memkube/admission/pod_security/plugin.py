"""Applies the pod security levels of a namespace to pods, pod templates and changes of the namespace's labels.

Source: ``pod-security-admission/admission``.
"""

from collections.abc import Mapping
from itertools import zip_longest
from operator import attrgetter
from time import monotonic
from typing import Any, ClassVar, Final

from memkube.admission.chain import AdmissionParts, Plugin
from memkube.admission.pod_security.evaluation import Evaluator, details, reasons
from memkube.admission.pod_security.policy import PRIVILEGED, LevelVersion, Policy, is_stricter, policy_of
from memkube.apimachinery.errors import ApiError, forbidden, internal_error, invalid
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.namespaces.types import Namespace
from memkube.apis.core.v1.pods.types import Pod
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec, PodTemplateSpec
from memkube.registry.declarations.admission import Attributes
from memkube.registry.declarations.request_options import EVERYTHING
from memkube.time.turns import Turns

_PLACES: Final = {"podtemplates": "template", "cronjobs": "spec.jobTemplate.spec.template"}
"""Field path of the pod template, by plural, for the kinds whose template is not in ``spec.template``."""
_IGNORED: Final = frozenset({"attach", "binding", "eviction", "exec", "log", "portforward", "proxy", "status"})
_MOST_PODS: Final = 3000
_MOST_SECONDS: Final = 1.0
_ENFORCED: Final = "pod-security.kubernetes.io/enforce-policy"
_VIOLATION: Final = "pod-security.kubernetes.io/audit-violations"


class PodSecurity(Plugin):
    """Admission plugin that enforces the pod security level of a namespace.

    Source: ``plugin/pkg/admission/security/podsecurity``.
    """

    name: ClassVar[str] = "PodSecurity"

    def __init__(self, parts: AdmissionParts) -> None:
        self._registry = parts.registry
        self._namespaces = parts.registry.find("", "v1", "namespaces")
        self._evaluator = Evaluator()

    async def validate(self, attributes: Attributes) -> None:
        """Refuse pods that violate the level that their namespace enforces, and namespaces with invalid labels.

        Pod templates, and existing pods that violate a new level of their namespace, only cause warnings.
        """
        if isinstance(attributes.new, Namespace):
            await self._check_namespace(attributes, attributes.new)
        elif attributes.resource.plural == "pods":
            await self._check_pod(attributes)
        elif not attributes.subresource:
            await self._check_template(attributes)

    async def _check_namespace(self, attributes: Attributes, namespace: Namespace) -> None:
        if attributes.subresource:
            return
        policy, errors = policy_of(namespace.metadata.labels)
        before, errors_before = policy_of(attributes.old.metadata.labels) if attributes.old else (policy, [])
        if errors and errors != errors_before:
            raise invalid("", "Namespace", attributes.name, errors)
        level, was = policy.enforce, before.enforce
        relaxed = level.version == was.version and not is_stricter(level.level, was.level)
        if level.level != PRIVILEGED and not relaxed:
            for warning in await self._warnings_of_pods(namespace.metadata.name, level):
                attributes.context.warn(warning)

    async def _check_pod(self, attributes: Attributes) -> None:
        if attributes.subresource in _IGNORED:
            return
        policy, has_errors = await self._policy(attributes)
        pod, old = attributes.new, attributes.old
        if isinstance(pod, Pod) and policy.allows_everything and not has_errors:
            attributes.context.annotate(_ENFORCED, str(policy.enforce))
        if (policy.allows_everything and not has_errors) or not isinstance(pod, Pod):
            return
        if isinstance(old, Pod) and not _is_significant(pod.spec, old.spec):
            return
        attributes.context.annotate(_ENFORCED, str(policy.enforce))
        findings = self._evaluator.evaluate(policy.enforce, pod.metadata, pod.spec)
        self._audit(attributes, policy, pod)
        if findings:
            why = f"violates PodSecurity {quoted(str(policy.enforce))}: {details(findings)}"
            raise forbidden(attributes.resource.group_resource, attributes.name, why)
        self._warn(attributes, policy, pod)

    async def _check_template(self, attributes: Attributes) -> None:
        try:
            policy, _ = await self._policy(attributes)
        except ApiError:
            return
        if policy.warn.level == policy.audit.level == PRIVILEGED:
            return
        template = attrgetter(_PLACES.get(attributes.resource.plural, "spec.template"))(attributes.new)
        if template is not None:
            self._audit(attributes, policy, template)
            self._warn(attributes, policy, template)

    def _audit(self, attributes: Attributes, policy: Policy, pod: Pod | PodTemplateSpec) -> None:
        findings = self._evaluator.evaluate(policy.audit, pod.metadata, pod.spec)
        if findings:
            violation = f"would violate PodSecurity {quoted(str(policy.audit))}: {details(findings)}"
            attributes.context.annotate(_VIOLATION, violation)

    def _warn(self, attributes: Attributes, policy: Policy, pod: Pod | PodTemplateSpec) -> None:
        findings = self._evaluator.evaluate(policy.warn, pod.metadata, pod.spec)
        if findings:
            attributes.context.warn(f"would violate PodSecurity {quoted(str(policy.warn))}: {details(findings)}")

    async def _policy(self, attributes: Attributes) -> tuple[Policy, bool]:
        """Return the pod security policy of a namespace, and True if the namespace's labels are invalid.

        Raises ApiError (500) if the namespace cannot be read.
        """
        try:
            stored = await self._namespaces.get("", attributes.namespace)
        except ApiError:
            raise internal_error(f"failed to lookup namespace {quoted(attributes.namespace)}") from None
        labels: Mapping[str, str] = stored.document["metadata"].get("labels") or {}
        policy, errors = policy_of(labels)
        return policy, bool(errors)

    async def _warnings_of_pods(self, namespace: str, level: LevelVersion) -> list[str]:
        """Return warnings about existing pods that violate the new level of a namespace, grouped by violation."""
        found = await self._registry.find("", "v1", "pods").list(namespace, EVERYTHING)
        pods = _first_of_each_owner([stored.document for stored in found.items])
        deadline, turns, checked = monotonic() + _MOST_SECONDS, Turns(), 0
        names: dict[str, list[str]] = {}
        for document in pods[:_MOST_PODS]:
            await turns.give()
            pod = Pod.from_document(document)
            findings = self._evaluator.evaluate(level, pod.metadata, pod.spec)
            if findings:
                names.setdefault(reasons(findings), []).append(pod.metadata.name)
            checked += 1
            if monotonic() > deadline:
                break
        warnings = []
        if checked < len(pods):
            some = f"the first {checked} of {len(pods)} existing pods"
            warnings.append(f"new PodSecurity enforce level only checked against {some}")
        if names:
            whose = f"existing pods in namespace {quoted(namespace)}"
            warnings.append(f"{whose} violate the new PodSecurity enforce level {quoted(str(level))}")
        return warnings + sorted(f"{_together(pods_with)}: {why}" for why, pods_with in names.items())


def _together(names: list[str]) -> str:
    first, others = min(names), len(names) - 1
    if not others:
        return first
    return f"{first} (and {others} other {'pod' if others == 1 else 'pods'})"


def _first_of_each_owner(pods: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return `pods` in another order: first one pod of each controller, then all others.

    Pods without a controller are among the first. The caller checks only the first pods of a large namespace. Pods of
    one controller usually have the same violations, so this order shows more different ones.
    """
    seen: set[str] = set()
    first: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for pod in pods:
        owners = pod["metadata"].get("ownerReferences") or []
        uid = next((owner.get("uid", "") for owner in owners if owner.get("controller")), None)
        (others if uid in seen else first).append(pod)
        if uid is not None:
            seen.add(uid)
    return first + others


def _is_significant(new: PodSpec, old: PodSpec) -> bool:
    """True if an update of a pod must be checked: it adds or removes a container, or changes an image."""
    for before, after in ((old.containers, new.containers), (old.initContainers, new.initContainers)):
        pairs = zip_longest(before, after)
        if any(b is None or a is None or b.image != a.image for b, a in pairs):
            return True
    images = {container.name: container.image for container in old.ephemeralContainers}
    return any(images.get(c.name) != c.image for c in new.ephemeralContainers)

"""The controller of the status of ValidatingAdmissionPolicies (``pkg/controller/validatingadmissionpolicystatus``)."""

from typing import Final

from memkube.apimachinery.model import Document
from memkube.controllers.framework.client import ignoring_absence
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.objects.stored import StoredObject

_POLICIES: Final = ("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies")
_MANAGER: Final = "validatingadmissionpolicy-status"


class ValidatingAdmissionPolicyStatusController:
    """Writes type-check warnings into the status of each ValidatingAdmissionPolicy."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._policies = runtime.informers.of(*_POLICIES)
        self._queue = runtime.queue("status of validating admission policies", self._sync)
        self._policies.subscribe(self._on_policy)

    def _on_policy(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None:
            self._queue.add(new.name)

    async def _sync(self, name: str) -> None:
        stored = self._policies.get("", name)
        if stored is None:
            return
        policy = stored.document
        generation = policy["metadata"]["generation"]
        if generation <= policy.get("status", {}).get("observedGeneration", 0):
            return
        status = {"observedGeneration": generation, "typeChecking": self._checked(policy)}
        store = self._runtime.registry.find(*_POLICIES)
        with ignoring_absence():
            await store.apply_forcibly(name, {"status": status}, WriteContext(manager=_MANAGER), subresource="status")

    def _checked(self, policy: Document) -> Document:
        # Most servers have no policies, so the modules with the types of all kinds are only loaded here.
        from memkube.controllers.policy_status.type_checking import expression_warnings  # noqa: PLC0415  imported with the first policy

        warnings = expression_warnings(policy, self._runtime.catalog)
        return {"expressionWarnings": warnings} if warnings else {}

"""Whether a container that ended may start again (KEP-5307)."""

from collections.abc import Sequence

from memkube.apis.core.v1.podspec.types.containers import Container, ContainerRestartRuleOnExitCodes
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec


def may_restart(spec: PodSpec, containers: Sequence[Container], name: str, exit_code: int) -> bool:
    """Whether the rules of the container or else of its pod let it start again; an unknown container may not."""
    if any(
        rule.action == "RestartAllContainers"
        for container in (*spec.initContainers, *spec.containers)
        for rule in container.restartPolicyRules
    ):
        return True
    container = next((container for container in containers if container.name == name), None)
    return container is not None and _restarts(container, spec.restartPolicy, exit_code)


def _restarts(container: Container, pod_policy: str, exit_code: int) -> bool:
    if container.restartPolicy is not None:
        codes = (rule.exitCodes for rule in container.restartPolicyRules)
        if any(code is not None and _matches(code, exit_code) for code in codes):
            return True
    known = container.restartPolicy in ("Always", "OnFailure", "Never")
    policy = container.restartPolicy if known else pod_policy
    return exit_code != 0 if policy == "OnFailure" else policy != "Never"


def _matches(codes: ContainerRestartRuleOnExitCodes, exit_code: int) -> bool:
    if codes.operator == "In":
        return exit_code in codes.values
    return codes.operator == "NotIn" and exit_code not in codes.values

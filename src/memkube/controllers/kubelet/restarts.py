"""Whether a container that has ended is run again (``ContainerShouldRestart`` of the reference)."""

from memkube.apis.core.v1.podspec.types.containers import Container, ContainerRestartRule
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec


def restarts(container: Container, spec: PodSpec, code: int) -> bool:
    """Whether the container is run again after an end with this code."""
    for rule in container.restartPolicyRules:
        if _applies(rule, code):
            return rule.action == "Restart"
    policy = container.restartPolicy or spec.restartPolicy
    return policy == "Always" or (policy == "OnFailure" and code != 0)


def is_sidecar(container: Container) -> bool:
    """Whether an init container goes on running beside the others (KEP-753)."""
    return container.restartPolicy == "Always"


def _applies(rule: ContainerRestartRule, code: int) -> bool:
    if rule.exitCodes is None:
        return False
    is_listed = code in rule.exitCodes.values
    return is_listed if rule.exitCodes.operator == "In" else not is_listed

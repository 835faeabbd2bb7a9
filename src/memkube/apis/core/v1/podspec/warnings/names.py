"""Warnings about names that pods get theirs from."""

from memkube.apimachinery.names import is_dns1123_label


def pod_base_name_warnings(name: str) -> list[str]:
    """About the name of a workload whose pods have names and hostnames that begin with it."""
    messages = is_dns1123_label(name)
    if not messages:
        return []
    prose = "this is used in Pod names and hostnames, which can result in surprising behavior"
    return [f"metadata.name: {prose}; a DNS label is recommended: [{' '.join(messages)}]"]

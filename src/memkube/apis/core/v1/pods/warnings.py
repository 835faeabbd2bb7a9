"""What the server accepts in a pod, but warns about."""

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.ip_addresses import address_warnings
from memkube.apimachinery.names import is_dns1123_label
from memkube.apis.core.v1.pods.types.pod import Pod
from memkube.apis.core.v1.podspec.warnings.pod_template import metadata_and_spec_warnings


def pod_warnings(pod: Pod) -> list[str]:
    """Texts of Warning headers for a new pod."""
    warnings: list[str] = []
    if messages := is_dns1123_label(pod.metadata.name):
        prose = "this is used in the Pod's hostname, which can result in surprising behavior"
        warnings.append(f"metadata.name: {prose}; a DNS label is recommended: [{' '.join(messages)}]")
    return warnings + metadata_and_spec_warnings(pod.metadata, pod.spec, FieldPath(""))


def pod_status_warnings(pod: Pod) -> list[str]:
    """Texts of Warning headers for a pod with a new status."""
    warnings: list[str] = []
    for name in ("podIPs", "hostIPs"):
        for index, address in enumerate(getattr(pod.status, name)):
            warnings += address_warnings(FieldPath("status").child(name).item(index).child("ip"), address.ip)
    return warnings

"""How the reference holds pod specs inside, where that differs from v1.

Sources: ``pkg/apis/core/types.go`` and, for what moves, ``pkg/apis/core/v1/conversion.go``.
"""

from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from memkube.apimachinery.json_forms import InternalStruct, InternalStructs, go_json, internal_form, internal_struct
from memkube.apimachinery.line_diff import line_diff
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.shown_values import Unversioned
from memkube.apis.core.v1.podspec.types.pod_spec import PodSpec
from memkube.apis.core.v1.podspec.types.pod_template import PodTemplateSpec
from memkube.apis.core.v1.podspec.types.retired_volumes import GlusterfsVolumeSource, RBDVolumeSource
from memkube.apis.core.v1.podspec.types.security import PodSecurityContext
from memkube.apis.core.v1.podspec.types.volume_claims import PersistentVolumeClaimTemplate
from memkube.apis.core.v1.podspec.types.volumes import Volume

_POD_SPEC: Final = """
    Volumes InitContainers Containers EphemeralContainers RestartPolicy TerminationGracePeriodSeconds
    ActiveDeadlineSeconds DNSPolicy NodeSelector ServiceAccountName AutomountServiceAccountToken NodeName
    SecurityContext ImagePullSecrets Hostname Subdomain SetHostnameAsFQDN Affinity SchedulerName Tolerations
    HostAliases PriorityClassName Priority PreemptionPolicy DNSConfig ReadinessGates RuntimeClassName Overhead
    EnableServiceLinks TopologySpreadConstraints OS SchedulingGates ResourceClaims Resources HostnameOverride
    SchedulingGroup
"""
_POD_SECURITY_CONTEXT: Final = """
    HostNetwork HostPID HostIPC ShareProcessNamespace HostUsers SELinuxOptions WindowsOptions RunAsUser RunAsGroup
    RunAsNonRoot SupplementalGroups SupplementalGroupsPolicy FSGroup FSGroupChangePolicy Sysctls SeccompProfile
    AppArmorProfile SELinuxChangePolicy
"""


def internal_difference(before: ApiModel, after: ApiModel) -> str:
    """The lines by which the internal forms of two pod specs, or of parts of them, differ; for messages."""
    texts = (go_json(internal_form(value, _STRUCTS), indent=1) for value in (before, after))
    return line_diff(*texts)


def internal_value(value: ApiModel) -> Unversioned:
    """A template of pods, or a part of one, as messages show what the reference holds inside."""
    return Unversioned(value, _STRUCTS)


def _pod_spec(spec: PodSpec) -> InternalStruct:
    """What concerns the host is part of the security context; only one name of the service account is left."""
    fields = dict(internal_struct(spec).fields)
    context = dict(internal_struct(spec.securityContext or PodSecurityContext()).fields)
    fields["SecurityContext"] = _ordered(_POD_SECURITY_CONTEXT, fields | context)
    return _ordered(_POD_SPEC, fields)


def _ordered(names: str, fields: dict[str, Any]) -> InternalStruct:
    return InternalStruct(tuple((name, fields[name]) for name in names.split()))


def _volume(volume: Volume) -> InternalStruct:
    fields = list(internal_struct(volume).fields)
    names = [name for name, _ in fields]
    quobyte = fields.pop(names.index("Quobyte"))
    fields.insert(names.index("RBD") + 1, quobyte)
    return InternalStruct(tuple(fields))


def _with_metadata(template: PersistentVolumeClaimTemplate | PodTemplateSpec) -> InternalStruct:
    """The metadata is embedded."""
    metadata = template.metadata
    embedded = [(name, getattr(metadata, name)) for name in metadata.to_document()]
    return InternalStruct((*embedded, ("Spec", template.spec)))


def _renamed(**names: str) -> Callable[[Any], InternalStruct]:
    return partial(internal_struct, names=names)


_STRUCTS: Final[InternalStructs] = MappingProxyType(
    {
        GlusterfsVolumeSource: _renamed(endpoints="EndpointsName"),
        PersistentVolumeClaimTemplate: _with_metadata,
        PodSpec: _pod_spec,
        PodTemplateSpec: _with_metadata,
        RBDVolumeSource: _renamed(monitors="CephMonitors", image="RBDImage", pool="RBDPool", user="RadosUser"),
        Volume: _volume,
    }
)

"""Warnings about retired volume types, and about files that overlap in one volume."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from memkube.apimachinery.field_errors import FieldPath
from memkube.apimachinery.shown_values import quoted
from memkube.apis.core.v1.podspec.types.projections import DownwardAPIVolumeFile, KeyToPath, VolumeProjection
from memkube.apis.core.v1.podspec.types.volumes import Volume
from memkube.apis.core.v1.podspec.warnings.containers import fraction_warnings

_RETIRED: Final = (
    ("photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("gitRepo", "gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("flocker", "flocker", "deprecated in v1.22, non-functional in v1.25+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("quobyte", "quobyte", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("ephemeral", "", ""),
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
)
"""Retired volume types in kube-apiserver's order: field, field name in the warning, and warning text.

The entry for ephemeral volumes has no text: it stands at the point where kube-apiserver warns about fractional bytes in
them.
"""


@dataclass(frozen=True, slots=True)
class _File:
    """Path of a file in a volume, and the file's source if the volume is projected."""

    path: str
    source: str = ""

    def __str__(self) -> str:
        return f"{quoted(self.path)} ({self.source})" if self.source else quoted(self.path)

    def overlaps(self, other: "_File") -> bool:
        """True if both files have the same path, or if one path is a parent directory of the other."""
        if not self.path or not other.path:
            return False
        mine, theirs = f"{self.path}/", f"{other.path}/"
        return mine.startswith(theirs) or theirs.startswith(mine)


def retired_volume_warnings(volumes: Sequence[Volume], path: FieldPath) -> Iterable[str]:
    """Warn about retired volume types, and about fractional bytes in ephemeral volume claims."""
    for index, volume in enumerate(volumes):
        for field, name, prose in _RETIRED:
            if getattr(volume, field) is None:
                continue
            if name:
                yield f"{path.item(index).child(name)}: {prose}"
            elif volume.ephemeral is not None and volume.ephemeral.volumeClaimTemplate is not None:
                spec_path = path.item(index).child("ephemeral").child("volumeClaimTemplate").child("spec")
                resources = volume.ephemeral.volumeClaimTemplate.spec.resources
                for kind in ("requests", "limits"):
                    amounts = getattr(resources, kind)
                    yield from fraction_warnings(amounts, ("storage",), spec_path.child("resources").child(kind))


def overlap_warnings(volumes: Sequence[Volume]) -> Iterable[str]:
    """Warn about files of one volume that have the same path or lie below each other."""
    for volume in volumes:
        for kind, files in _files_by_kind(volume):
            yield from _overlaps(volume.name, kind, files)
        if volume.projected is not None:
            yield from _projected_overlaps(volume.name, volume.projected.sources)


def _files_by_kind(volume: Volume) -> Iterable[tuple[str, Iterable[_File]]]:
    if volume.configMap is not None:
        yield f"ConfigMap {quoted(volume.configMap.name)}", _files(volume.configMap.items)
    if volume.secret is not None:
        yield f"Secret {quoted(volume.secret.secretName)}", _files(volume.secret.items)
    if volume.downwardAPI is not None:
        yield "DownwardAPI", _files(volume.downwardAPI.items)


def _files(items: Sequence[KeyToPath | DownwardAPIVolumeFile], source: str = "") -> list[_File]:
    return [_File(item.path.rstrip("/"), source) for item in items]


def _overlaps(volume: str, kind: str, files: Iterable[_File]) -> Iterable[str]:
    earlier: list[_File] = []
    for file in files:
        for other in earlier:
            if file.overlaps(other):
                yield f"volume {quoted(volume)} ({kind}): overlapping paths: {file} with {other}"
        earlier.append(file)


def _projected_overlaps(volume: str, sources: Sequence[VolumeProjection]) -> Iterable[str]:
    nothing = VolumeProjection()
    files: list[_File] = []
    for source in sources:
        if source == nothing:
            yield f"volume {quoted(volume)} (Projected) has no sources provided"
        files += _projected_files(source)
    yield from _overlaps(volume, "Projected", files)


def _projected_files(source: VolumeProjection) -> list[_File]:
    if source.configMap is not None and source.configMap.items:
        return _files(source.configMap.items, f"ConfigMap {quoted(source.configMap.name)}")
    if source.secret is not None and source.secret.items:
        return _files(source.secret.items, f"Secret {quoted(source.secret.name)}")
    if source.downwardAPI is not None and source.downwardAPI.items:
        return _files(source.downwardAPI.items, "DownwardAPI")
    if source.serviceAccountToken is not None:
        return [_File(source.serviceAccountToken.path.rstrip("/"), "ServiceAccountToken")]
    return []

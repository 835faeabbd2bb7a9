"""Rules for volumes made of several sources."""

from collections.abc import Sequence
from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath, forbidden, invalid, required
from memkube.apis.core.v1.podspec.types.projections import (
    ConfigMapProjection,
    ProjectedVolumeSource,
    SecretProjection,
    ServiceAccountTokenProjection,
    VolumeProjection,
)
from memkube.apis.core.v1.podspec.types.volume_files import DownwardAPIVolumeFile
from memkube.apis.core.v1.podspec.validation.file_paths import validate_file_mode, validate_local_path
from memkube.apis.core.v1.podspec.validation.name_rules import require
from memkube.apis.core.v1.podspec.validation.volume_sources import validate_downward_file, validate_key

_SHORTEST_TOKEN: Final = 10 * 60
_LONGEST_TOKEN: Final = 2**32
_CONFLICT: Final = "conflicting duplicate paths"


def validate_projected(projected: ProjectedVolumeSource, path: FieldPath) -> list[FieldError]:
    """Each source is of one type, and no two files have the same path."""
    errors = validate_file_mode(projected.defaultMode, path.child("defaultMode"))
    taken: set[str] = set()
    for index, source in enumerate(projected.sources):
        errors += _validate_source(source, index, taken, path)
    return errors


def _validate_source(source: VolumeProjection, index: int, taken: set[str], path: FieldPath) -> list[FieldError]:
    item = path.child("sources").item(index)
    errors: list[FieldError] = []
    for name in ("secret", "configMap"):
        projection = getattr(source, name)
        if projection is not None:
            errors += _validate_keys(projection, taken, item.child(name), path)
    if source.downwardAPI is not None:
        errors += _validate_files(source.downwardAPI.items, taken, item.child("downwardAPI"), path)
    if source.serviceAccountToken is not None:
        errors += _validate_token(source.serviceAccountToken, item.child("serviceAccountToken"), path)
    types = (source.secret, source.configMap, source.downwardAPI, source.serviceAccountToken)
    if sum(projection is not None for projection in types) > 1:
        errors.append(forbidden(item, "may not specify more than 1 volume type per source"))
    return errors


def _validate_keys(
    projection: SecretProjection | ConfigMapProjection, taken: set[str], path: FieldPath, volume_path: FieldPath
) -> list[FieldError]:
    errors = require(projection, ("name",), path)
    for index, item in enumerate(projection.items):
        errors += validate_key(item, path.child("items").item(index))
        errors += _take(item.path, taken, invalid(volume_path, projection.name, _CONFLICT))
    return errors


def _validate_files(
    files: Sequence[DownwardAPIVolumeFile], taken: set[str], path: FieldPath, volume_path: FieldPath
) -> list[FieldError]:
    errors: list[FieldError] = []
    for file in files:
        errors += validate_downward_file(file, path)
        errors += _take(file.path, taken, invalid(volume_path, file.path, _CONFLICT))
    return errors


def _take(file_path: str, taken: set[str], conflict: FieldError) -> list[FieldError]:
    if file_path and file_path in taken:
        return [conflict]
    taken.add(file_path)
    return []


def _validate_token(token: ServiceAccountTokenProjection, path: FieldPath, volume_path: FieldPath) -> list[FieldError]:
    """The reference reports the token's path as if it were the volume's."""
    seconds = token.expirationSeconds or 0
    errors: list[FieldError] = []
    if seconds < _SHORTEST_TOKEN:
        detail = "may not specify a duration less than 10 minutes"
        errors.append(invalid(path.child("expirationSeconds"), seconds, detail))
    if seconds > _LONGEST_TOKEN:
        detail = "may not specify a duration larger than 2^32 seconds"
        errors.append(invalid(path.child("expirationSeconds"), seconds, detail))
    if not token.path:
        return [*errors, required(volume_path.child("path"))]
    return errors + validate_local_path(token.path, volume_path.child("path"))

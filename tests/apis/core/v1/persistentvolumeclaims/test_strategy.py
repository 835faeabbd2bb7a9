import pytest

from memkube.apimachinery.model import Document
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.persistentvolumeclaims.strategy import PersistentVolumeClaimStrategy
from memkube.apis.core.v1.podspec.types.persistent_volume_claims import PersistentVolumeClaim

_STRATEGY = PersistentVolumeClaimStrategy()
_CLAIM = {"kind": "PersistentVolumeClaim", "name": "a"}
_SNAPSHOT = {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "a"}
_OTHER = {"apiGroup": "example.com", "kind": "Thing", "name": "a"}
_ELSEWHERE = {**_OTHER, "namespace": "other"}


def claim(**spec: Document) -> PersistentVolumeClaim:
    return PersistentVolumeClaim.from_document({"metadata": {"name": "data"}, "spec": spec})


def sources(prepared: PersistentVolumeClaim) -> tuple[Document | None, Document | None]:
    spec = prepared.spec
    given = (spec.dataSource, spec.dataSourceRef)
    one, other = (None if each is None else {k: v for k, v in each.to_document().items() if v} for each in given)
    return one, other


@pytest.mark.parametrize(
    ("spec", "kept"),
    [
        ({"dataSource": _CLAIM}, _CLAIM),
        ({"dataSource": _SNAPSHOT}, _SNAPSHOT),
        ({"dataSource": _OTHER}, None),
        ({"dataSourceRef": _OTHER}, _OTHER),
        ({"dataSourceRef": _ELSEWHERE}, None),
        ({"dataSourceRef": _ELSEWHERE, "dataSource": _CLAIM}, _CLAIM),
    ],
)
def test_both_forms_of_a_new_claims_source_agree(spec: dict[str, Document], kept: Document | None) -> None:
    new = claim(**spec)
    _STRATEGY.prepare_for_create(new, Time("2026-01-01T00:00:00Z"))
    assert sources(new) == (kept, kept)


def test_a_source_in_another_namespace_that_is_there_stays() -> None:
    old = claim(dataSourceRef=_ELSEWHERE)
    new = claim(dataSourceRef=_ELSEWHERE)
    _STRATEGY.prepare_for_update(new, old)
    assert sources(new) == (None, _ELSEWHERE)


def test_fractions_of_bytes_are_warned_of() -> None:
    new = claim(resources={"requests": {"storage": "1.5"}, "limits": {"storage": "2500m"}})
    _STRATEGY.default(new)
    assert _STRATEGY.warnings_on_create(new) == [
        'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
        'spec.resources.limits[storage]: fractional byte value "2500m" is invalid, must be an integer',
    ]

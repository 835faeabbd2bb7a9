from typing import Any

from memkube.apimachinery.managed_fields.scale import entries_after_scaling, scale_entries

_PATHS = {"example.com/v1": None, "example.com/v2": ("spec", "count"), "example.com/v3": ("spec", "replicas")}
_OLD, _NEW = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


def _entry(version: str, fields: dict[str, Any], operation: str = "Apply", **more: str) -> dict[str, Any]:
    entry = {"manager": "m", "operation": operation, "apiVersion": version, "fieldsType": "FieldsV1", **more}
    return {**entry, "fieldsV1": fields}


def _object(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"managedFields": list(entries)}}


_IN_V2: dict[str, Any] = {"f:spec": {"f:count": {}}}
_IN_V3: dict[str, Any] = {"f:spec": {"f:replicas": {}}}


def test_an_entry_at_another_version_owns_the_replicas_of_the_scale() -> None:
    [entry] = scale_entries(_object(_entry("example.com/v2", _IN_V2, time=_OLD)), _PATHS)
    assert (entry["apiVersion"], entry["fieldsV1"], entry["time"]) == ("autoscaling/v1", _IN_V3, _OLD)


def test_an_applier_keeps_its_entry_at_the_other_version() -> None:
    applied = _entry("example.com/v2", _IN_V2, time=_OLD)
    scale = _object(_entry("autoscaling/v1", _IN_V3, time=_NEW))
    assert entries_after_scaling(_object(applied), scale, "example.com/v3", _PATHS) == [applied]


def test_an_update_at_another_version_loses_the_replicas_to_the_version_of_the_request() -> None:
    owner = _entry("example.com/v2", {"f:spec": {"f:count": {}, "f:size": {}}}, "Update", time=_OLD)
    scale = _object(_entry("autoscaling/v1", _IN_V3, "Update", subresource="scale", time=_NEW))
    stolen, rest = entries_after_scaling(_object(owner), scale, "example.com/v3", _PATHS)
    assert (stolen["apiVersion"], stolen["fieldsV1"], "time" in stolen) == ("example.com/v3", _IN_V3, False)
    assert (rest["apiVersion"], rest["fieldsV1"]) == ("example.com/v2", {"f:spec": {"f:size": {}}})


def test_an_appliers_entry_without_replicas_is_replaced_and_keeps_its_time() -> None:
    before = _entry("example.com/v1", {"f:spec": {"f:size": {}}}, subresource="scale", time=_OLD)
    scale = _object(_entry("autoscaling/v1", _IN_V3, subresource="scale", time=_NEW))
    [entry] = entries_after_scaling(_object(before), scale, "example.com/v3", _PATHS)
    assert (entry["apiVersion"], entry["fieldsV1"], entry["time"]) == ("example.com/v3", _IN_V3, _OLD)


def test_entries_of_unknown_versions_are_dropped() -> None:
    scale = _object(_entry("autoscaling/v1", _IN_V3, time=_NEW))
    [entry] = entries_after_scaling(_object(_entry("example.com/v9", {}, "Update")), scale, "example.com/v3", _PATHS)
    assert entry["apiVersion"] == "example.com/v3"

"""The kinds of objects that a snapshot may contain: built-in kinds, and custom kinds that the snapshot defines."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from memkube.apimachinery.model import Document
from memkube.apis.catalog import served_resources
from memkube.apis.settings.v1alpha1.podpresets.resource import RESOURCE as POD_PRESETS
from memkube.registry.objects.stored import StoredObject

_DEFINITIONS: Final = "/apiextensions.k8s.io/customresourcedefinitions/"


class _Kept(NamedTuple):
    api_versions: tuple[str, ...]
    kind: str
    namespaced: bool


class KeptKinds:
    """Checks the keys and kinds of the objects in a snapshot, whose content is not trusted."""

    def __init__(self, objects: Mapping[str, StoredObject]) -> None:
        kept = (r.stored_as for r in (*served_resources(), POD_PRESETS) if r.keeps_objects and not r.is_computed)
        self._kinds = {r.key_prefix: _Kept((r.api_version,), r.kind, r.namespaced) for r in kept}
        for key, stored in objects.items():
            if key.startswith(_DEFINITIONS):
                self._kinds.update(_defined(stored.document))

    def fault_of(self, key: str, document: Document, revision: int) -> str:
        """Return an error message if `document` is not an object that a server would store under `key`, otherwise "".

        `revision` is the revision of the snapshot, which no object's resourceVersion may exceed.
        """
        group, plural = ([*key.split("/")[1:3], "", ""])[:2]
        kept = self._kinds.get(f"/{group}/{plural}/")
        api_version, kind = document.get("apiVersion"), document.get("kind")
        if kept is None or api_version not in kept.api_versions or kind != kept.kind:
            return f"no kind {kind} of {api_version} is known whose objects have keys such as {key}"
        metadata = document.get("metadata")
        if not isinstance(metadata, dict):
            return f"{key} has no metadata"
        where = [metadata.get("namespace"), metadata.get("name")] if kept.namespaced else [metadata.get("name")]
        if key != f"/{group}/{plural}/{'/'.join(map(str, where))}":
            return f"the name or namespace of the object is not that of its key {key}"
        if not metadata.get("uid") or not isinstance(metadata.get("uid"), str):
            return f"{key} has no uid"
        version = str(metadata.get("resourceVersion"))
        if not (version.isascii() and version.isdigit() and 0 < int(version) <= revision):
            return f"{key} has resourceVersion {version}, in a snapshot of revision {revision}"
        return ""


def _defined(definition: Document) -> dict[str, _Kept]:
    """Return the kind that a CustomResourceDefinition defines, by its key prefix; empty if it cannot be served."""
    spec: Any = definition.get("spec")
    try:
        names = definition["status"]["acceptedNames"]
        versions = tuple(f"{spec['group']}/{version['name']}" for version in spec["versions"])
        kept = _Kept(versions, names["kind"], spec["scope"] == "Namespaced")
        return {f"/{spec['group']}/{spec['names']['plural']}/": kept}
    except (KeyError, TypeError):
        return {}

"""A custom kind with two versions, as a CustomResourceDefinition would declare it."""

from typing import Any, Final

from memkube.registry.declarations.custom import CustomNames, CustomVersion, custom_resources
from memkube.registry.declarations.resource import Resource

NAMES: Final = CustomNames("example.com", "Gadget", "gadgets", "gadget", short_names=("gd",), categories=("all",))
SPEC: Final[dict[str, Any]] = {
    "type": "object",
    "description": "What is wanted.",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "description": "How large it is."},
        "colour": {"type": "string", "enum": ["red", "blue"], "default": "red"},
        "parts": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "weight": {"type": "integer"}},
            },
        },
        "marks": {
            "type": "object",
            "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}
STATUS: Final[dict[str, Any]] = {"type": "object", "properties": {"ready": {"type": "boolean"}}}
SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "description": "A thing that was made up.",
    "properties": {"spec": SPEC, "status": STATUS},
}


def gadgets(**further: dict[str, Any]) -> list[Resource]:
    """Return both versions of the kind. `further` are additional properties of its spec."""
    spec = {**SPEC, "properties": {**SPEC["properties"], **further}}
    schema = {**SCHEMA, "properties": {**SCHEMA["properties"], "spec": spec}}
    versions = [CustomVersion(name, schema, has_status=True) for name in ("v1", "v1beta1")]
    return custom_resources(NAMES, versions, stored="v1")


def gadget(name: str, version: str = "v1", **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"example.com/{version}",
        "kind": "Gadget",
        "metadata": {"name": name},
        "spec": {"size": 1, **spec},
    }

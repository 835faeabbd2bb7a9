"""How OpenAPI documents name types and operations."""

from typing import Final

from memkube.apimachinery.schema import StructSchema

META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1"


def openapi_name(schema: StructSchema) -> str:
    """The name of a type of the reference, such as io.k8s.api.core.v1.Pod; "" for any other type."""
    host, _, path = schema.package.partition("/")
    return ".".join([*reversed(host.split(".")), *path.split("/"), schema.name]) if host else ""


def kind_name(group: str, version: str, kind: str, schema: StructSchema) -> str:
    """The name of a kind; of one that the reference does not have, such as com.example.v1.Widget, from its group."""
    return openapi_name(schema) or ".".join([*reversed(group.split(".")), version, kind]).lstrip(".")


def reference(name: str) -> str:
    """A pointer to a component."""
    return f"#/components/schemas/{name}"


def tag(group: str, version: str = "") -> str:
    """The tag of a group's operations, such as rbacAuthorization_v1."""
    first, *rest = _words(group)
    name = first + "".join(map(_titled, rest))
    return f"{name}_{version}" if version else name


def operation_infix(group: str, version: str = "") -> str:
    """The part of operation ids that tells groups and versions apart, such as RbacAuthorizationV1."""
    return "".join(map(_titled, [*_words(group), version]))


def _words(group: str) -> list[str]:
    return (group or "core").removesuffix(".k8s.io").replace("-", ".").split(".")


def _titled(word: str) -> str:
    return word[:1].upper() + word[1:]

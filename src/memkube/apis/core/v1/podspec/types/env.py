"""."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.scalars import Quantity
from memkube.apis.core.v1.references import LocalObjectReference
from memkube.apimachinery.quantity import Quantity as QuantityText


class ConfigMapEnvSource(LocalObjectReference):
    """."""

    optional: bool | None = Field(default=None, description="")


class SecretEnvSource(LocalObjectReference):
    """."""

    optional: bool | None = Field(default=None, description="")


class EnvFromSource(ApiModel):
    """."""

    prefix: str = Field(default="", description="")
    configMapRef: ConfigMapEnvSource | None = Field(default=None, description="")
    secretRef: SecretEnvSource | None = Field(default=None, description="")


class ConfigMapKeySelector(LocalObjectReference):
    """."""

    struct_type: ClassVar[str] = "atomic"

    key: Annotated[str, Required()] = Field(default="", description="")
    optional: bool | None = Field(default=None, description="")


class FileKeySelector(ApiModel):
    """."""

    struct_type: ClassVar[str] = "atomic"

    volumeName: Annotated[str, Required()] = Field(default="", description="")
    path: Annotated[str, Required()] = Field(default="", description="")
    key: Annotated[str, Required()] = Field(default="", description="")
    optional: bool | None = Field(default=None, description="")


class ObjectFieldSelector(ApiModel):
    """."""

    struct_type: ClassVar[str] = "atomic"

    apiVersion: str = Field(default="", description="")
    fieldPath: Annotated[str, Required()] = Field(default="", description="")


class ResourceFieldSelector(ApiModel):
    """."""

    struct_type: ClassVar[str] = "atomic"

    containerName: str = Field(default="", description="")
    resource: Annotated[str, Required()] = Field(default="", description="")
    divisor: Quantity = Field(default=QuantityText("0"), description="")


class SecretKeySelector(LocalObjectReference):
    """."""

    struct_type: ClassVar[str] = "atomic"

    key: Annotated[str, Required()] = Field(default="", description="")
    optional: bool | None = Field(default=None, description="")


class EnvVarSource(ApiModel):
    """."""

    fieldRef: ObjectFieldSelector | None = Field(default=None, description="")
    resourceFieldRef: ResourceFieldSelector | None = Field(default=None, description="")
    configMapKeyRef: ConfigMapKeySelector | None = Field(default=None, description="")
    secretKeyRef: SecretKeySelector | None = Field(default=None, description="")
    fileKeyRef: FileKeySelector | None = Field(default=None, description="")


class EnvVar(ApiModel):
    """."""

    name: Annotated[str, Required()] = Field(default="", description="")
    value: str = Field(default="", description="")
    valueFrom: EnvVarSource | None = Field(default=None, description="")

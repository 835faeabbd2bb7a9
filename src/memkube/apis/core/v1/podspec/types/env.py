"""Environment variables and where their values come from."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Default, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.quantity import Quantity as QuantityText
from memkube.apimachinery.scalars import Quantity
from memkube.apis.core.v1.references import LocalObjectReference


class ConfigMapEnvSource(LocalObjectReference):
    """All entries of a config map as variables."""

    optional: bool | None = Field(default=None, description="Whether the config map may be missing.")


class SecretEnvSource(LocalObjectReference):
    """All entries of a secret as variables."""

    optional: bool | None = Field(default=None, description="Whether the secret may be missing.")


class EnvFromSource(ApiModel):
    """A source of several variables."""

    prefix: str = Field(default="", description="Text to put before each name.")
    configMapRef: ConfigMapEnvSource | None = Field(default=None, description="Config map to read.")
    secretRef: SecretEnvSource | None = Field(default=None, description="Secret to read.")


class ConfigMapKeySelector(LocalObjectReference):
    """An entry of a config map."""

    struct_type: ClassVar[str] = "atomic"

    key: Annotated[str, Required()] = Field(default="", description="Key of the entry.")
    optional: bool | None = Field(default=None, description="Whether the config map or the key may be missing.")


class FileKeySelector(ApiModel):
    """An entry of a file in a volume."""

    struct_type: ClassVar[str] = "atomic"

    volumeName: Annotated[str, Required()] = Field(default="", description="Volume with the file.")
    path: Annotated[str, Required()] = Field(default="", description="Path of the file in the volume.")
    key: Annotated[str, Required()] = Field(default="", description="Key of the entry.")
    optional: Annotated[bool | None, Default(False)] = Field(
        default=None, description="Whether the file or the key may be missing."
    )


class ObjectFieldSelector(ApiModel):
    """A field of the pod."""

    struct_type: ClassVar[str] = "atomic"

    apiVersion: str = Field(default="", description="Version in which the path is written.")
    fieldPath: Annotated[str, Required()] = Field(default="", description="Path of the field.")


class ResourceFieldSelector(ApiModel):
    """A resource of a container."""

    struct_type: ClassVar[str] = "atomic"

    containerName: str = Field(default="", description="Container; needed for volumes only.")
    resource: Annotated[str, Required()] = Field(default="", description="Resource, such as limits.cpu.")
    divisor: Quantity = Field(default=QuantityText("0"), description="Unit in which to express the amount.")


class SecretKeySelector(LocalObjectReference):
    """An entry of a secret."""

    struct_type: ClassVar[str] = "atomic"

    key: Annotated[str, Required()] = Field(default="", description="Key of the entry.")
    optional: bool | None = Field(default=None, description="Whether the secret or the key may be missing.")


class EnvVarSource(ApiModel):
    """Where a variable's value comes from; one of the fields is set."""

    fieldRef: ObjectFieldSelector | None = Field(default=None, description="Field of the pod.")
    resourceFieldRef: ResourceFieldSelector | None = Field(default=None, description="Resource of a container.")
    configMapKeyRef: ConfigMapKeySelector | None = Field(default=None, description="Entry of a config map.")
    secretKeyRef: SecretKeySelector | None = Field(default=None, description="Entry of a secret.")
    fileKeyRef: FileKeySelector | None = Field(default=None, description="Entry of a file in a volume.")


class EnvVar(ApiModel):
    """An environment variable."""

    name: Annotated[str, Required()] = Field(default="", description="Name of the variable.")
    value: str = Field(default="", description="Value, with $(NAME) replaced by variables that come before.")
    valueFrom: EnvVarSource | None = Field(default=None, description="Where the value comes from; excludes value.")

"""API types of environment variables and of their sources."""

from typing import Annotated, ClassVar

from pydantic import Field

from memkube.apimachinery.markers import Default, Required
from memkube.apimachinery.model import ApiModel
from memkube.apimachinery.quantity import Quantity as QuantityText
from memkube.apimachinery.scalars import Quantity
from memkube.apis.core.v1.references import LocalObjectReference


class ConfigMapEnvSource(LocalObjectReference):
    """A ConfigMap whose keys become environment variables."""

    optional: bool | None = Field(
        default=None, description="True if containers start without these variables when the config map is missing."
    )


class SecretEnvSource(LocalObjectReference):
    """A Secret whose keys become environment variables."""

    optional: bool | None = Field(
        default=None, description="True if containers start without these variables when the secret is missing."
    )


class EnvFromSource(ApiModel):
    """A ConfigMap or Secret whose keys become environment variables, with an optional name prefix."""

    prefix: str = Field(default="", description="Text to put before each key to form the name of its variable.")
    configMapRef: ConfigMapEnvSource | None = Field(default=None, description="Config map whose keys become variables.")
    secretRef: SecretEnvSource | None = Field(default=None, description="Secret whose keys become variables.")


class ConfigMapKeySelector(LocalObjectReference):
    """A key of a ConfigMap, whose value becomes the value of an environment variable."""

    struct_type: ClassVar[str] = "atomic"

    key: Annotated[str, Required()] = Field(default="", description="Key of the config map whose value is used.")
    optional: bool | None = Field(default=None, description="True if the config map or the key may be missing.")


class FileKeySelector(ApiModel):
    """Key of a variable in an environment file on a volume of the pod."""

    struct_type: ClassVar[str] = "atomic"

    volumeName: Annotated[str, Required()] = Field(
        default="", description="Name of the pod's emptyDir volume that contains the environment file."
    )
    path: Annotated[str, Required()] = Field(
        default="", description="Path of the environment file, relative to the root of the volume."
    )
    key: Annotated[str, Required()] = Field(
        default="", description="Name of the variable in the environment file, whose value is used."
    )
    optional: Annotated[bool | None, Default(False)] = Field(
        default=None, description="True if the file or the key may be missing."
    )


class ObjectFieldSelector(ApiModel):
    """Path of a pod's field, such as ``metadata.name``."""

    struct_type: ClassVar[str] = "atomic"

    apiVersion: str = Field(default="", description="API version of the pod to which the path belongs; v1 by default.")
    fieldPath: Annotated[str, Required()] = Field(
        default="", description="Path of the pod's field, such as metadata.name."
    )


class ResourceFieldSelector(ApiModel):
    """A resource request or limit of a container, divided by a unit."""

    struct_type: ClassVar[str] = "atomic"

    containerName: str = Field(
        default="",
        description="Name of the container with the resource; if empty in env, the container of the variable.",
    )
    resource: Annotated[str, Required()] = Field(
        default="", description="Request or limit whose amount is used, such as limits.cpu."
    )
    divisor: Quantity = Field(
        default=QuantityText("0"), description="Unit in which the amount is expressed, such as 1Mi; 1 by default."
    )


class SecretKeySelector(LocalObjectReference):
    """A key of a Secret, whose value becomes the value of an environment variable."""

    struct_type: ClassVar[str] = "atomic"

    key: Annotated[str, Required()] = Field(default="", description="Key of the secret whose value is used.")
    optional: bool | None = Field(default=None, description="True if the secret or the key may be missing.")


class EnvVarSource(ApiModel):
    """Source of an environment variable's value; exactly one field is set."""

    fieldRef: ObjectFieldSelector | None = Field(
        default=None, description="Field of the pod whose value is used, such as metadata.name."
    )
    resourceFieldRef: ResourceFieldSelector | None = Field(
        default=None, description="Container resource whose request or limit becomes the value, such as limits.cpu."
    )
    configMapKeyRef: ConfigMapKeySelector | None = Field(
        default=None, description="Key of a config map; its value becomes the variable's value."
    )
    secretKeyRef: SecretKeySelector | None = Field(
        default=None, description="Key of a secret; its value becomes the variable's value."
    )
    fileKeyRef: FileKeySelector | None = Field(
        default=None, description="Variable of an environment file on a volume of the pod."
    )


class EnvVar(ApiModel):
    """Name of an environment variable of a container, and its value or the source of its value."""

    name: Annotated[str, Required()] = Field(
        default="", description="Name of the environment variable; must not contain =."
    )
    value: str = Field(default="", description="Value; $(NAME) is expanded from earlier variables.")
    valueFrom: EnvVarSource | None = Field(
        default=None, description="Source of the value; mutually exclusive with value."
    )

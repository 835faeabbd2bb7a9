"""Where kubelets once took their configuration from."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import Named, Required
from memkube.apimachinery.model import ApiModel


class ConfigMapNodeConfigSource(ApiModel):
    """A key of a config map."""

    namespace: Annotated[str, Required()] = Field(default="", description="Namespace of the config map.")
    name: Annotated[str, Required()] = Field(default="", description="Name of the config map.")
    uid: Annotated[str, Named("types.UID")] = Field(default="", description="UID of the config map.")
    resourceVersion: str = Field(default="", description="Version of the config map.")
    kubeletConfigKey: Annotated[str, Required()] = Field(default="", description="Key of the configuration.")


class NodeConfigSource(ApiModel):
    """Where a configuration comes from."""

    configMap: ConfigMapNodeConfigSource | None = Field(default=None, description="Key of a config map.")


class NodeConfigStatus(ApiModel):
    """Which configuration is in use."""

    assigned: NodeConfigSource | None = Field(default=None, description="Configuration to be used.")
    active: NodeConfigSource | None = Field(default=None, description="Configuration in use.")
    lastKnownGood: NodeConfigSource | None = Field(default=None, description="Configuration to fall back to.")
    error: str = Field(default="", description="What is wrong with the assigned configuration.")

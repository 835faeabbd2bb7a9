"""The controllers that there are, by the names that users switch them with."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from memkube.controllers.disruption.controller import DisruptionController
from memkube.controllers.manager import Controller
from memkube.controllers.namespace.controller import NamespaceController

CONTROLLERS: Final[Mapping[str, Controller]] = MappingProxyType(
    {
        "disruption": DisruptionController,
        "namespace": NamespaceController,
    }
)

"""The CustomResourceDefinition of KWOK's Stages, for servers that serve the kind from the start."""

import logging
from typing import Final

from memkube.apimachinery.errors import ApiError
from memkube.controllers.stages.definition import stage_definition
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.registry import Registry

_LOGGER: Final = logging.getLogger("memkube")


async def create_stage_definition(registry: Registry) -> None:
    """Store the CustomResourceDefinition of Stages unless it exists. Log a warning if it is rejected."""
    resource = registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions").resource
    definition = resource.model.from_document(stage_definition())
    try:
        await registry.store(resource).create(definition, WriteContext(manager="memkube"))
    except ApiError as error:
        if error.reason != "AlreadyExists":
            _LOGGER.warning("could not create the definition of Stages: %s", error)

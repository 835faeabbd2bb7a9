"""The controllers that run inside the API server, even if the user selects other controllers or none."""

from collections.abc import Mapping
from functools import partial

from memkube.controllers.aggregation.availability import ApiServiceAvailability
from memkube.controllers.aggregation.registration import ApiServiceRegistration
from memkube.controllers.available import ControllerDescriptor
from memkube.controllers.definitions.controller import DefinitionController
from memkube.controllers.definitions.served import ServedDefinitions


def api_server_controllers() -> Mapping[str, ControllerDescriptor]:
    """Return the API server's controllers by name.

    The controllers of one call share one ServedDefinitions: a controller created after a restore continues with what
    its predecessor served.
    """
    return {
        "api-services": ControllerDescriptor(ApiServiceAvailability),
        "api-service-registration": ControllerDescriptor(ApiServiceRegistration),
        "definitions": ControllerDescriptor(partial(DefinitionController, served=ServedDefinitions())),
    }

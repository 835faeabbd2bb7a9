"""The controllers that the API server itself runs, whichever others are chosen."""

from collections.abc import Mapping
from functools import partial

from memkube.controllers.aggregation.availability import ApiServiceAvailability
from memkube.controllers.aggregation.registration import ApiServiceRegistration
from memkube.controllers.available import Controller
from memkube.controllers.definitions.controller import DefinitionController
from memkube.controllers.definitions.served import ServedDefinitions


def api_server_controllers() -> Mapping[str, Controller]:
    """Return the controllers of one server by name.

    Each call makes its own ServedDefinitions: a controller that is created after a restore continues with what the
    former one has served.
    """
    return {
        "api-services": ApiServiceAvailability,
        "api-service-registration": ApiServiceRegistration,
        "definitions": partial(DefinitionController, served=ServedDefinitions()),
    }

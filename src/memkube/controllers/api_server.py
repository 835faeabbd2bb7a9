"""The controllers that run inside the API server, even if the user selects other controllers or none."""

from collections.abc import Mapping
from functools import partial

from memkube.auth.authentication.options import AuthenticationOptions
from memkube.controllers.aggregation.availability import ApiServiceAvailability
from memkube.controllers.aggregation.registration import ApiServiceRegistration
from memkube.controllers.available import ControllerDescriptor
from memkube.controllers.definitions.controller import DefinitionController
from memkube.controllers.definitions.served import ServedDefinitions


def api_server_controllers(authentication: AuthenticationOptions) -> Mapping[str, ControllerDescriptor]:
    """Return descriptors of the API server's controllers by name.

    After a restore, the controller of CustomResourceDefinitions is created again from the same descriptor. It then
    continues with the definitions that its predecessor served. The controller that publishes the clients' certificate
    authorities to extension API servers is only included if the server authenticates clients by certificates.
    """
    chosen = {
        "api-services": ControllerDescriptor(ApiServiceAvailability),
        "api-service-registration": ControllerDescriptor(ApiServiceRegistration),
        "definitions": ControllerDescriptor(partial(DefinitionController, served=ServedDefinitions())),
    }
    if authentication.authority_files:
        # Import the module only if clients may authenticate by certificates: it imports pyOpenSSL, which is slow.
        from memkube.controllers.cluster_authentication_trust import ClusterAuthenticationTrust  # noqa: PLC0415

        trust = partial(ClusterAuthenticationTrust, options=authentication)
        chosen["cluster-authentication-trust"] = ControllerDescriptor(trust)
    return chosen

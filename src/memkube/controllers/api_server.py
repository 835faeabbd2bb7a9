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

    One of the controllers publishes the certificate authorities of clients to extension API servers. It is only
    included if the server authenticates clients by certificates.

    The descriptor of the controller of CustomResourceDefinitions remembers the definitions that are served. When a
    snapshot is restored, a new controller is created from the same descriptor, and continues to serve them.
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

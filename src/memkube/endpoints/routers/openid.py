"""OpenID Connect Discovery: by which keys others can tell this server's tokens (``pkg/routes/openidmetadata.go``)."""

from typing import Final

from starlette.types import ASGIApp, Receive, Send
from starlette.types import Scope as AsgiScope

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.json_text import to_json
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.negotiation import JSON, named_types, none_available
from memkube.endpoints.responses.responses import BytesResponse, generic_refusal, refused, text_response
from memkube.endpoints.routers.resources import NOT_FOUND_TEXT
from memkube.registry.declarations.interface import OpenIdProvider

CONFIGURATION: Final = "/.well-known/openid-configuration"
JWKS: Final = "/openid/v1/jwks"
_JWKS_TYPE: Final = "application/jwk-set+json"
_CACHED: Final = (b"cache-control", b"public, max-age=3600")


class OpenIdMetadata:
    """Answers both addresses, where the issuer's name can be looked up."""

    def __init__(self, provider: OpenIdProvider) -> None:
        self._provider = provider

    async def __call__(self, scope: AsgiScope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        request = ApiRequest(scope, receive)
        provider = self._provider
        if not provider.is_discoverable:
            response: ASGIApp = text_response(NOT_FOUND_TEXT, 404)
        else:
            try:
                response = await _answer(request, provider)
            except ApiError as error:
                response = refused(request, error)
        await response(scope, receive, send)


async def _answer(request: ApiRequest, provider: OpenIdProvider) -> ASGIApp:
    """Raises ApiError 405 and 406."""
    if request.method != "GET":
        raise generic_refusal(405)
    of_keys = request.path.rstrip("/") == JWKS
    media_type = _JWKS_TYPE if of_keys else JSON
    if not any(named in (media_type, "*/*") for named in named_types(request.accept or "*/*")):
        raise none_available((media_type,))
    if of_keys:
        document = await provider.key_set()
    else:
        host = request.header(b"host")
        document = await provider.configuration(f"{request.scope['scheme']}://{host}{JWKS}")
    response = BytesResponse(to_json(document), 200, media_type)
    response.raw_headers.append(_CACHED)
    return response

"""OpenID Connect Discovery: the public keys that verify service account tokens (``pkg/routes/openidmetadata.go``)."""

from typing import Final

from fastapi import APIRouter
from starlette.types import ASGIApp

from memkube.apimachinery.json_text import to_json
from memkube.endpoints.requests.api_request import ApiRequest
from memkube.endpoints.requests.negotiation import JSON, named_types, none_available
from memkube.endpoints.responses.responses import NOT_FOUND_TEXT, BytesResponse, generic_refusal, text_response
from memkube.endpoints.routers.api_route import ANY_METHOD, ApiRoute
from memkube.registry.declarations.interface import OpenIdProvider

CONFIGURATION: Final = "/.well-known/openid-configuration"
JWKS: Final = "/openid/v1/jwks"
_JWKS_TYPE: Final = "application/jwk-set+json"
_CACHED: Final = (b"cache-control", b"public, max-age=3600")


def openid_router(provider: OpenIdProvider) -> APIRouter:
    """Return a router for the discovery document and the public keys of the token issuer `provider`.

    Both paths answer 404 if the issuer is not a URL from which clients can read them.
    """
    router = APIRouter(route_class=ApiRoute)

    @router.api_route(CONFIGURATION, methods=ANY_METHOD)
    @router.api_route(f"{CONFIGURATION}/", methods=ANY_METHOD)
    @router.api_route(JWKS, methods=ANY_METHOD)
    @router.api_route(f"{JWKS}/", methods=ANY_METHOD)
    async def openid_metadata(request: ApiRequest) -> ASGIApp:
        if not provider.is_discoverable:
            return text_response(NOT_FOUND_TEXT, 404)
        return await _answer(request, provider)

    return router


async def _answer(request: ApiRequest, provider: OpenIdProvider) -> ASGIApp:
    """Return the response with the discovery document or the public keys.

    Raises ApiError 405 unless the method is GET, and 406 if the client does not accept the media type.
    """
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

"""Responses to SelfSubjectReviews and TokenReviews.

Sources: ``pkg/registry/authentication``.
"""

from typing import Final

from memkube.apimachinery.errors import bad_request
from memkube.apis.authentication.v1.tokens.authentication import authenticate
from memkube.apis.authentication.v1.types import SelfSubjectReview, TokenReview, UserInfo
from memkube.registry.declarations.authentication import RejectedTokenError
from memkube.registry.declarations.interface import Created, Stores
from memkube.registry.declarations.request_options import User, WriteContext
from memkube.time.clock import written_now

_NO_TOKEN: Final = "token is required for TokenReview in authentication"  # noqa: S105  an error message, not a password


async def review(stores: Stores, name: str, obj: SelfSubjectReview, context: WriteContext) -> Created:
    """Return the SelfSubjectReview with the user of the request in its status."""
    await context.validate_admission()
    answer = SelfSubjectReview(kind=obj.kind, apiVersion=obj.apiVersion)
    answer.metadata.creationTimestamp = written_now(stores.clock)
    answer.status.userInfo = user_info(context.user)
    return Created(answer.to_document())


async def review_token(stores: Stores, name: str, obj: TokenReview, context: WriteContext) -> Created:
    """Authenticate the token of a TokenReview, and return the review with the token's user in its status.

    Raises ApiError 400 if the review has no token.
    """
    if not obj.spec.token:
        raise bad_request(_NO_TOKEN)
    await context.validate_admission()
    audiences = obj.spec.audiences or stores.kind_services.token_issuer.options.audiences
    status = obj.status
    status.authenticated = False
    try:
        found = await authenticate(stores, obj.spec.token, audiences)
    except RejectedTokenError as error:
        status.error = str(error)
    else:
        for warning in found.warnings:
            context.warn(warning)
        for key, value in found.annotations.items():
            context.annotate(key, value)
        status.authenticated, status.user, status.audiences = True, user_info(found.user), list(found.audiences)
    return Created(obj.to_document())


def user_info(user: User) -> UserInfo:
    """Convert a user to the API type UserInfo."""
    return UserInfo(
        username=user.name,
        uid=user.uid,
        groups=list(user.groups),
        extra={key: list(values) for key, values in user.extra.items()},
    )

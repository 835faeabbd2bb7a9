"""Conversion of custom objects by a webhook (apiextensions ``pkg/apiserver/conversion/webhook_converter.go``)."""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from memkube.apimachinery.base64 import decode_base64
from memkube.apimachinery.errors import ApiError, unclassified
from memkube.apimachinery.forms import ModelForm
from memkube.apimachinery.model import Document
from memkube.apis.apiextensions.v1.conversion_reviews import ConversionReview
from memkube.apis.apiextensions.v1.customresourcedefinitions.types import WebhookClientConfig, WebhookConversion
from memkube.controllers.definitions.conversion_reviews import (
    GROUP,
    KIND,
    ConversionFailed,
    conversion_review,
    converted_objects,
    read_object,
    with_original_metadata,
)
from memkube.hooks.answers import ExpectedKind, decode_answer
from memkube.hooks.client import HookClient
from memkube.hooks.configuration import ClientConfig, ConfigurationRefused, HookFailed, ServiceReference
from memkube.registry.declarations.kinds import kind_shown
from memkube.registry.objects.conversion import Convert, renamed
from memkube.registry.registry import Registry

_SECONDS: Final = 30.0
_MOST_OBJECTS: Final = 100
"""Maximum number of objects in one ConversionReview."""
_KNOWN: Final = {f"{GROUP}/{version}": frozenset({KIND}) for version in ("v1", "v1beta1")}
_NOTHING: Final = {"apiVersion", "kind"}
"""Fields that every custom object has. Objects without other fields are not sent to the conversion webhook."""
_FORM: Final = ModelForm(ConversionReview)


class ConversionWebhook:
    """Converts objects of a custom kind to other versions by means of its conversion webhook.

    This server sends up to 100 objects in one ConversionReview. If the response is invalid, it sends each object in a
    request of its own, as kube-apiserver always does, so that the error names the object.
    """

    def __init__(self, registry: Registry, client: HookClient, conversion: WebhookConversion) -> None:
        declared = conversion.clientConfig
        assert declared is not None
        self._registry = registry
        self._client = client
        self._config = _config_of(declared)
        self._version = next((v for v in conversion.conversionReviewVersions if f"{GROUP}/{v}" in _KNOWN), "")

    def into(self, api_version: str) -> Convert:
        """Return a function that converts a list of custom objects to `api_version`, by calls of the webhook.

        The function raises ApiError (500) if the webhook fails.
        """

        async def convert(documents: Sequence[Document]) -> Sequence[Document]:
            if all(document.keys() == _NOTHING for document in documents):
                return await renamed(api_version)(documents)
            converted: list[Document] = []
            for first in range(0, len(documents), _MOST_OBJECTS):
                some = documents[first : first + _MOST_OBJECTS]
                converted += await self._batch(some, api_version) or [
                    await self._one(document, api_version) for document in some
                ]
            return converted

        return convert

    async def _batch(self, documents: Sequence[Document], api_version: str) -> list[Document]:
        """Convert custom objects to `api_version` with one ConversionReview, and return the converted objects.

        Returns an empty list if the response is invalid, or if there is only one object: the caller then converts each
        object with a ConversionReview of its own.
        """
        if len(documents) == 1:
            return []
        try:
            answered = await self._asked(documents, api_version)
            return [
                with_original_metadata(document, read_object(found), api_version)
                for document, found in zip(documents, answered, strict=True)
            ]
        except (ConversionFailed, ValueError):
            return []

    async def _one(self, document: Document, api_version: str) -> Document:
        """Convert one object by means of the conversion webhook.

        Raises ApiError if the webhook fails or its response is invalid.
        """
        try:
            found = await self._asked([document], api_version)
            if len(found) != 1:
                raise ConversionFailed(f"returned {len(found)} objects, expected 1")
            return with_original_metadata(document, read_object(found[0]), api_version)
        except ConversionFailed as error:
            raise _refused(document, error.message) from None
        except ValueError as error:
            raise unclassified(str(error)) from None

    async def _asked(self, documents: Sequence[Document], api_version: str) -> list[Any]:
        """Send custom objects to the conversion webhook, and return the converted objects.

        Raises ApiError if the call fails, and ConversionFailed if the response reports a failure.
        """
        if not self._version:
            raise unclassified("no supported conversion review versions")
        uid = self._registry.new_uid()
        body = conversion_review(self._version, uid, api_version, documents)
        expected = ExpectedKind(f"{GROUP}/{self._version}", KIND, _KNOWN)
        try:
            answer = await self._client.post(self._config, body, _SECONDS)
            review = await asyncio.to_thread(decode_answer, answer, _FORM, expected)
        except ConfigurationRefused as error:
            raise unclassified(error.message) from None
        except HookFailed as error:
            # The whole message is: conversion webhook for KIND failed: ...
            raise _refused(documents[0], f"failed: {error.message}") from None
        return converted_objects(self._version, uid, review)


def _refused(document: Document, why: str) -> ApiError:
    return unclassified(f"conversion webhook for {kind_shown(document['apiVersion'], document['kind'])} {why}")


def _config_of(client: WebhookClientConfig) -> ClientConfig:
    bundle = decode_base64(client.caBundle)
    # kube-apiserver treats a CA bundle that consists of white space as missing.
    trusted = bundle if bundle.strip() else b""
    service = client.service
    if service is None:
        return ClientConfig(url=client.url or "", ca_bundle=trusted)
    reference = ServiceReference(service.namespace, service.name, service.path or "", service.port or 443)
    return ClientConfig(service=reference, ca_bundle=trusted)

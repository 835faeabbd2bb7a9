"""Rules for service accounts."""

from typing import Final

from memkube.apimachinery.field_errors import FieldError, FieldPath
from memkube.apimachinery.names import subdomain_name
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.serviceaccounts.types import ServiceAccount

_METADATA: Final = FieldPath("metadata")


def validate_service_account(account: ServiceAccount) -> list[FieldError]:
    """The name is a domain name."""
    return validate_metadata(account.metadata, True, subdomain_name, _METADATA)


def validate_service_account_update(new: ServiceAccount, old: ServiceAccount) -> list[FieldError]:
    """The metadata keeps its rules."""
    return validate_metadata_update(new.metadata, old.metadata, _METADATA) + validate_service_account(new)

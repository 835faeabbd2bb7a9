"""Validation and strategy of ServiceAccounts (``pkg/registry/core/serviceaccount``)."""

from typing import ClassVar, Final

from memkube.apimachinery.field_errors import FieldError
from memkube.apimachinery.names import subdomain_name
from memkube.apimachinery.time import Time
from memkube.apis.core.v1.metadata import validate_metadata, validate_metadata_update
from memkube.apis.core.v1.references import ObjectReference
from memkube.apis.core.v1.serviceaccounts.types import ServiceAccount
from memkube.registry.declarations.strategy import Strategy

_MOUNTABLE_SECRETS: Final = "kubernetes.io/enforce-mountable-secrets"


def validate_service_account(account: ServiceAccount) -> list[FieldError]:
    """Validate the metadata of a ServiceAccount."""
    return validate_metadata(account.metadata, subdomain_name, namespaced=True)


def validate_service_account_update(new: ServiceAccount, old: ServiceAccount) -> list[FieldError]:
    """Validate the metadata of an update of a ServiceAccount."""
    return validate_metadata_update(new.metadata, old.metadata) + validate_service_account(new)


class ServiceAccountStrategy(Strategy[ServiceAccount]):
    """Validates ServiceAccounts that clients create and update, and reduces references to Secrets to their names.

    Source: ``pkg/registry/core/serviceaccount/strategy.go``.
    """

    returns_deleted: ClassVar[bool] = True

    validate = staticmethod(validate_service_account)
    validate_update = staticmethod(validate_service_account_update)

    def prepare_for_create(self, obj: ServiceAccount, now: Time) -> list[str]:
        _reduce_to_names(obj)
        return []

    def warnings_on_create(self, obj: ServiceAccount) -> list[str]:
        return _warnings(obj)

    def prepare_for_update(self, new: ServiceAccount, old: ServiceAccount) -> None:
        _reduce_to_names(new)

    def warnings_on_update(self, new: ServiceAccount, old: ServiceAccount) -> list[str]:
        """Warn if an update adds the deprecated annotation ``kubernetes.io/enforce-mountable-secrets``."""
        return [] if _MOUNTABLE_SECRETS in old.metadata.annotations else _warnings(new)


def _reduce_to_names(account: ServiceAccount) -> None:
    """Remove all fields but the name from the secret references of a ServiceAccount.

    Such secrets are always in the namespace of the ServiceAccount.
    """
    account.secrets = [ObjectReference(name=secret.name) for secret in account.secrets]


def _warnings(account: ServiceAccount) -> list[str]:
    if _MOUNTABLE_SECRETS not in account.metadata.annotations:
        return []
    advice = "prefer separate namespaces to isolate access to mounted secrets"
    return [f"metadata.annotations[{_MOUNTABLE_SECRETS}]: deprecated in v1.32+; {advice}"]

"""What secrets add to the generic verbs."""

from memkube.apimachinery.base64 import decoded_base64
from memkube.apimachinery.field_errors import FieldError
from memkube.apis.core.v1.secrets.contents import TLS, TLS_CERTIFICATE, TLS_KEY
from memkube.apis.core.v1.secrets.defaults import default_secret
from memkube.apis.core.v1.secrets.tls_pair import pair_fault
from memkube.apis.core.v1.secrets.types import Secret
from memkube.apis.core.v1.secrets.validation import validate_secret, validate_secret_update
from memkube.registry.strategy import Strategy


class SecretStrategy(Strategy[Secret]):
    """Source: ``pkg/registry/core/secret/strategy.go``."""

    def default(self, obj: Secret) -> None:
        """See Strategy."""
        default_secret(obj)

    def validate(self, obj: Secret) -> list[FieldError]:
        """See Strategy."""
        return validate_secret(obj)

    def warnings_on_create(self, obj: Secret) -> list[str]:
        """See Strategy."""
        return _warnings(obj)

    def validate_update(self, new: Secret, old: Secret) -> list[FieldError]:
        """See Strategy."""
        return validate_secret_update(new, old)

    def warnings_on_update(self, new: Secret, old: Secret) -> list[str]:
        """See Strategy."""
        return _warnings(new)


def _warnings(secret: Secret) -> list[str]:
    if secret.type != TLS:
        return []
    fault = pair_fault(decoded_base64(secret.data[TLS_CERTIFICATE]), decoded_base64(secret.data[TLS_KEY]))
    return [fault] if fault else []

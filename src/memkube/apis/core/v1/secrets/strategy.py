from memkube.apimachinery.base64 import decode_base64, encode_base64
from memkube.apis.core.v1.secrets.tls_pair import pair_error
from memkube.apis.core.v1.secrets.types import Secret
from memkube.apis.core.v1.secrets.validation import (
    TLS,
    TLS_CERTIFICATE,
    TLS_KEY,
    validate_secret,
    validate_secret_update,
)
from memkube.registry.declarations.strategy import Strategy


def default_secret(secret: Secret) -> None:
    """Move stringData into data, and set the type to Opaque if it is empty."""
    if secret.stringData:
        text = {key: encode_base64(value.encode()) for key, value in secret.stringData.items()}
        secret.data = dict(sorted((secret.data | text).items()))
        secret.stringData = {}
    secret.type = secret.type or "Opaque"


class SecretStrategy(Strategy[Secret]):
    """Defaults and validates Secrets that clients create and update, and warns about invalid TLS certificates.

    Source: ``pkg/registry/core/secret/strategy.go``.
    """

    default = staticmethod(default_secret)
    validate = staticmethod(validate_secret)
    validate_update = staticmethod(validate_secret_update)

    def warnings_on_create(self, obj: Secret) -> list[str]:
        return _warnings(obj)

    def warnings_on_update(self, new: Secret, old: Secret) -> list[str]:
        return _warnings(new)


def _warnings(secret: Secret) -> list[str]:
    if secret.type != TLS:
        return []
    fault = pair_error(decode_base64(secret.data[TLS_CERTIFICATE]), decode_base64(secret.data[TLS_KEY]))
    return [fault] if fault else []

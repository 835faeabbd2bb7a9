"""What a secret gets where the client says nothing, and where text becomes data."""

from memkube.apimachinery.base64 import encoded_bytes
from memkube.apis.core.v1.secrets.types import Secret


def default_secret(secret: Secret) -> None:
    """Moves stringData over data, and makes the secret one of no particular type."""
    if secret.stringData:
        text = {key: encoded_bytes(value.encode()) for key, value in secret.stringData.items()}
        secret.data = dict(sorted((secret.data | text).items()))
        secret.stringData = {}
    secret.type = secret.type or "Opaque"

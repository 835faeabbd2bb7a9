"""``token-cleaner-controller``: deletes expired bootstrap tokens (``tokencleaner.go``)."""

from memkube.apimachinery.errors import ApiError
from memkube.apimachinery.meta.v1.delete_options import DeleteOptions, Preconditions
from memkube.controllers.bootstrap_tokens.secrets import (
    SECRETS,
    TOKEN_NAMESPACE,
    is_bootstrap_token,
    seconds_to_expiration,
)
from memkube.controllers.framework.runtime import Runtime
from memkube.registry.objects.stored import StoredObject


class TokenCleaner:
    """Deletes the Secrets of bootstrap tokens when the tokens expire."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._queue = runtime.queue("token cleaner", self._sync)
        self._secrets = runtime.informers.of(*SECRETS)
        self._secrets.subscribe(self._on_secret)

    def _on_secret(self, _: StoredObject | None, new: StoredObject | None) -> None:
        if new is not None and is_bootstrap_token(new):
            self._queue.add(new.name)

    async def _sync(self, name: str) -> None:
        secret = self._secrets.get(TOKEN_NAMESPACE, name)
        if secret is None or not is_bootstrap_token(secret):
            return
        left = seconds_to_expiration(secret, self._runtime.clock.now())
        if left is None:
            return
        if left > 0:
            self._queue.add_after(name, left)
            return
        options = DeleteOptions(preconditions=Preconditions(uid=secret.uid))
        resource = self._runtime.registry.find(*SECRETS).resource
        try:
            await self._runtime.client.delete(resource, secret.namespace, name, options)
        except ApiError as error:
            if error.reason not in ("NotFound", "Conflict"):
                raise

"""Records requests of controllers in the request log, which includes them only if an option says so."""

from collections.abc import Coroutine
from typing import Any, TypeVar

from memkube.apimachinery.errors import ApiError
from memkube.registry.declarations.request_options import WriteContext
from memkube.registry.objects.stored import StoredObject
from memkube.telemetry.request_log import RequestLog, RequestRecord, Target

T = TypeVar("T")
_CREATED, _DONE, _FAILED = 201, 200, 500


class ControllerRequest:
    """Record of a controller's request for the request log. Its user agent is the controller's field manager."""

    def __init__(self, log: RequestLog, verb: str, target: Target, context: WriteContext) -> None:
        self._log = log
        self.record: RequestRecord = log.internal_record(verb, target, context)

    async def answered(self, work: Coroutine[Any, Any, T]) -> T:
        """Run the request, record its outcome in the request log, and return its result.

        An exception of the request is recorded too, and raised again.
        """
        record = self.record
        self._log.under_way.add(self)
        try:
            done = await work
            record.code = _CREATED if record.verb == "create" else _DONE
            if isinstance(done, StoredObject):
                record.answered = done.resource_version
                record.target = record.target if record.target.name else record.target.named(done.name)
            return done
        except ApiError as error:
            record.code = error.code
            record.refuse(error.reason, error.message)
            raise
        except Exception as error:
            record.code = _FAILED
            record.refuse("", f"{type(error).__name__}: {error}")
            raise
        finally:
            self._log.end(self)

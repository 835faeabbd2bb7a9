"""Authorizes requests by sending SubjectAccessReviews to a webhook."""

from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import Document
from memkube.apis.authorization.v1.types import SubjectAccessReview, SubjectAccessReviewStatus
from memkube.auth.authorization.interface import Attributes, Authorizer, Decision, UserRules, Verdict
from memkube.auth.authorization.webhook.match_conditions import ConditionFailed, MatchConditions
from memkube.auth.authorization.webhook.options import WebhookOptions
from memkube.auth.reviews.webhook import ReviewWebhook
from memkube.hooks.answers import ExpectedKind
from memkube.hooks.client import HookClient
from memkube.hooks.configuration import HookFailed
from memkube.hooks.kubeconfig import read_webhook_kubeconfig
from memkube.registry.declarations.request_options import User

_GROUP: Final = "authorization.k8s.io"
_MOST_REMEMBERED: Final = 8192
_MOST_CHARACTERS: Final = 10_000
"""Maximum length in characters of a request whose answer is cached. Otherwise, clients could use up the memory."""
_BOTH: Final = "webhook subject access review returned both allow and deny response"
_NOT_ASKED: Final = "expressions cannot ask an authorization webhook in memkube"
_NO_RULES: Final = "webhook authorizer does not support user rule resolution"
_OPERATORS: Final = {
    "=": "In",
    "==": "In",
    "!=": "NotIn",
    "in": "In",
    "notin": "NotIn",
    "exists": "Exists",
    "!": "DoesNotExist",
}


class _Remembered(NamedTuple):
    status: SubjectAccessReviewStatus
    until: datetime


class WebhookAuthorizer(Authorizer):
    """Authorizes requests by calling a webhook.

    The webhook's answers are cached for the number of seconds in the options, measured by the server's clock.
    """

    def __init__(self, options: WebhookOptions, client: HookClient, now: Callable[[], datetime]) -> None:
        """Read the kubeconfig of the webhook, and compile its match conditions.

        Raises ValueError with a one-line message if the file cannot be read or a condition does not compile.
        """
        connection = read_webhook_kubeconfig(options.kubeconfig)
        expected = ExpectedKind(f"{_GROUP}/{options.version}", "SubjectAccessReview")
        self._webhook = ReviewWebhook(client, connection, SubjectAccessReview, expected, options.timeout_seconds)
        self._conditions = MatchConditions(options.conditions)
        self._options = options
        self._now = now
        self._answers: OrderedDict[bytes, _Remembered] = OrderedDict()
        self._on_failure = Verdict.DENY if options.denies_on_failure else Verdict.NO_OPINION

    async def catch_up(self) -> None:
        pass

    def authorize(self, attributes: Attributes) -> Decision:
        return Decision(self._on_failure, "", _NOT_ASKED)

    def rules_for(self, user: User, namespace: str) -> UserRules:
        return UserRules((), incomplete=True, error=_NO_RULES)

    async def decide(self, attributes: Attributes) -> Decision:
        spec = review_spec(attributes)
        try:
            if not self._conditions.match(spec):
                return Decision(Verdict.NO_OPINION)
        except ConditionFailed as error:
            return Decision(self._on_failure, "", str(error))
        key = to_json(spec)
        remembered = self._answers.get(key)
        if remembered is not None and self._now() < remembered.until:
            self._answers.move_to_end(key)
            return _decision(remembered.status)
        if self._options.version == "v1beta1" and "groups" in spec:
            # SubjectAccessReviews of v1beta1 have a field ``group`` instead of ``groups``.
            spec["group"] = spec.pop("groups")
        try:
            review = await self._webhook.review(spec)
        except HookFailed as error:
            return Decision(self._on_failure, "", error.message)
        self._remember(key, attributes, review.status)
        return _decision(review.status)

    def _remember(self, key: bytes, attributes: Attributes, status: SubjectAccessReviewStatus) -> None:
        resource = attributes.group, attributes.version, attributes.resource, attributes.subresource
        chosen = attributes.namespace, attributes.verb, *resource, attributes.name, attributes.path
        options = self._options
        seconds = options.authorized_seconds if status.allowed else options.unauthorized_seconds
        if seconds and sum(map(len, chosen)) < _MOST_CHARACTERS:
            self._answers[key] = _Remembered(status, self._now() + timedelta(seconds=seconds))
            self._answers.move_to_end(key)
            if len(self._answers) > _MOST_REMEMBERED:
                self._answers.popitem(last=False)


def _decision(status: SubjectAccessReviewStatus) -> Decision:
    if status.denied:
        return Decision(Verdict.DENY, status.reason, _BOTH if status.allowed else "")
    return Decision(Verdict.ALLOW if status.allowed else Verdict.NO_OPINION, status.reason)


def review_spec(attributes: Attributes) -> Document:
    """Return the spec of a SubjectAccessReview, in version v1, that describes a request."""
    spec: Document = {}
    if attributes.is_resource:
        spec["resourceAttributes"] = _resource_attributes(attributes)
    else:
        spec["nonResourceAttributes"] = _given(path=attributes.path, verb=attributes.verb)
    user = attributes.user
    extra = {key: list(values) for key, values in user.extra.items()}
    return spec | _given(user=user.name, groups=list(user.groups), extra=extra, uid=user.uid)


def _resource_attributes(attributes: Attributes) -> Document:
    fields, labels = attributes.field_selector, attributes.label_selector
    by_field = [
        {"key": one.field, "operator": _OPERATORS[one.operator], "values": [one.value]}
        for one in (fields.requirements if fields is not None else ())
    ]
    by_label = [
        {"key": one.key, "operator": _OPERATORS[one.operator]} | _given(values=list(one.values))
        for one in (labels.requirements if labels is not None else ())
        if one.operator in _OPERATORS
    ]
    return _given(
        namespace=attributes.namespace,
        verb=attributes.verb,
        group=attributes.group,
        version=attributes.version,
        resource=attributes.resource,
        subresource=attributes.subresource,
        name=attributes.name,
        fieldSelector={"requirements": by_field} if by_field else None,
        labelSelector={"requirements": by_label} if by_label else None,
    )


def _given(**fields: Any) -> Document:
    return {name: value for name, value in fields.items() if value}

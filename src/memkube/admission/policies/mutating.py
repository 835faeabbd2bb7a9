"""Applies the mutations of all MutatingAdmissionPolicies that match a request to its object, in order."""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeAlias

from memkube.admission.expressions.evaluation import plain_json, run_evaluation
from memkube.admission.matching import Match, to_request_version
from memkube.admission.matching.custom_kinds import checked_custom_object
from memkube.admission.policies.inputs import inputs_of, namespace_object, shown_namespace
from memkube.admission.policies.mutator import MutationFailed, Mutator
from memkube.admission.policies.policy_source import Failure, Invocation, PolicySource
from memkube.apimachinery.decoding import DecodeError, probe_type
from memkube.apimachinery.errors import ApiError, Cause, internal_error
from memkube.apimachinery.forms import Form, ModelForm
from memkube.apimachinery.json_text import to_json
from memkube.apimachinery.model import ApiModel, Document
from memkube.apis.admissionregistration.v1.mutatingadmissionpolicies.types import (
    MutatingAdmissionPolicy,
    MutatingAdmissionPolicyBinding,
)
from memkube.registry.declarations.admission import Attributes, refused
from memkube.registry.declarations.catalog import Catalog
from memkube.registry.declarations.kinds import KindName, WrongKind
from memkube.registry.registry import Registry
from memkube.registry.writes.defaulting import default_admitted

_Invocation: TypeAlias = Invocation[MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, Mutator]
_Failure: TypeAlias = Failure[MutatingAdmissionPolicy, MutatingAdmissionPolicyBinding, Mutator]
_Key: TypeAlias = tuple[str, str, str, str]
_PLUGIN: Final = "MutatingAdmissionPolicy"
_TYPED_PARAMS_GROUPS: Final = frozenset({"apiextensions.k8s.io", "apiregistration.k8s.io"})
"""Built-in API groups whose objects keep kind and apiVersion if they are the parameters of a policy.

kube-apiserver has no typed client for these groups, and reads their objects as it reads custom objects.
"""


@dataclass(slots=True)
class _ReinvocationState:
    """Data about the first evaluation of all policies, which their reinvocation needs (``reinvocationcontext.go``)."""

    evaluated: set[_Key] = field(default_factory=set)
    """Policies with the reinvocationPolicy IfNeeded that were evaluated since the last change of the object."""
    again: set[_Key] = field(default_factory=set)
    """Policies to evaluate again, because the object has changed since they were evaluated."""
    output: Document | None = None
    """The object at the end of the first evaluation of all policies."""

    def changed(self) -> None:
        """Mark all evaluated policies for reinvocation, because the object has changed."""
        self.again |= self.evaluated
        self.evaluated = set()


class MutatingPolicies:
    """Applies all stored MutatingAdmissionPolicies to requests (apiserver ``admission/plugin/policy/mutating``)."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        read = (MutatingAdmissionPolicy.from_document, MutatingAdmissionPolicyBinding.from_document)
        self._source = PolicySource(registry, "mutating", read, Mutator)

    async def mutate(self, attributes: Attributes) -> None:
        """Apply all matching policies to the object. Raises ApiError if a policy with failurePolicy Fail fails."""
        concerned = [one async for one in self._source.matching(attributes)]
        failures = [one for one in concerned if isinstance(one, Failure)]
        reasons = ["Forbidden"] * len(failures)
        if invocations := [one for one in concerned if isinstance(one, Invocation) and one.params]:
            namespace = shown_namespace(await namespace_object(attributes, self._registry))
            evaluated = await _Round(attributes, namespace, self._registry).run(invocations)
            failures += evaluated
            reasons += ["Invalid"] * len(evaluated)
        counted = [index for index, one in enumerate(failures) if not one.policy.ignores_failures]
        if counted:
            raise _refusal([failures[index] for index in counted], reasons[counted[0]], attributes)


class _Round:
    """The first evaluation of all policies that match a request, or their reinvocation."""

    def __init__(self, attributes: Attributes, namespace: Document | None, registry: Registry) -> None:
        self._registry = registry
        self._catalog = registry.catalog
        self._attributes = attributes
        self._namespace = namespace
        self._again = attributes.reinvocation.again
        self._memory: _ReinvocationState = attributes.reinvocation.state.setdefault(_PLUGIN, _ReinvocationState())
        self._failures: list[_Failure] = []

    async def run(self, invocations: list[_Invocation]) -> list[_Failure]:
        """Apply the policies in `invocations`, which match the request, in order. Return their failures.

        Raises ApiError if a mutation makes the object invalid.
        """
        attributes, memory = self._attributes, self._memory
        if self._again and memory.output != _document(attributes):
            memory.changed()
        mutated = False
        for invocation in invocations:
            for params in invocation.params:
                mutated |= await self._invoke(invocation, params)
        if mutated:
            # As in kube-apiserver, all evaluated policies are marked for reinvocation, even those that were evaluated
            # after the last change.
            memory.changed()
            attributes.reinvocation.requested = True
        memory.output = _document(attributes)
        return self._failures

    async def _invoke(self, invocation: _Invocation, params: Document | None) -> bool:
        """Apply the mutations of the policy in `invocation` to the object, with `params` as the parameter object.

        Returns True if a mutation was applied, even if it changed nothing.
        """
        mutator, attributes = invocation.policy.evaluator, self._attributes
        try:
            inputs = await inputs_of(attributes, invocation.match, self._registry.kind_services.authorizer)
        except ApiError as error:
            self._failures.append(Failure(invocation.policy, None, f"failed to configure policy: {error.message}"))
            return False
        inputs = replace(inputs, params=_params_for_expressions(invocation, params), namespace=self._namespace)
        met = await run_evaluation(partial(mutator.conditions.match, inputs), loops=mutator.has_loops)
        if met.error:
            self._failures.append(Failure(invocation.policy, invocation.binding, met.error))
        key = _key(invocation, params)
        if not met.matches or (self._again and key not in self._memory.again):
            return False
        before, mutated = inputs.new, False
        for mutation in mutator.mutations if before is not None else ():
            try:
                struct = _form(attributes, invocation.match).struct
                mutate = partial(mutator.mutated, mutation, inputs, struct)
                document, is_patch = await run_evaluation(mutate, loops=mutator.has_loops)
                inputs = replace(inputs, new=await self._admitted(document, is_patch, invocation.match))
                mutated = True
            except MutationFailed as error:
                self._failures.append(Failure(invocation.policy, invocation.binding, str(error)))
        if inputs.new != before:
            self._memory.changed()
        if mutator.reinvocable:
            self._memory.evaluated.add(key)
        return mutated

    async def _admitted(self, document: Document, is_patch: bool, match: Match) -> Document:
        """Decode the result of a mutation, set defaults, and make the result the object of the request.

        Returns the object in the API version that a rule matched. Raises MutationFailed if the result cannot be
        decoded, and ApiError if a JSON patch (`is_patch`) made the object invalid, or if an annotation of the result
        cannot be converted.
        """
        fitted = _decoded(document, is_patch, self._attributes, match, self._catalog).to_document()
        self._attributes.replace_new(await to_request_version(fitted, self._attributes, match))
        return plain_json(fitted)


def _params_for_expressions(invocation: _Invocation, params: Document | None) -> Document | None:
    """Return the value of the CEL variable ``params`` for the parameter object `params` of a policy.

    As in kube-apiserver, the value lacks kind and apiVersion for most built-in kinds. `invocation`, the policy with its
    binding, has the kind of the parameter object.
    """
    resource = invocation.param_resource
    if params is None or resource is None or resource.structural is not None or resource.group in _TYPED_PARAMS_GROUPS:
        return params
    return {name: value for name, value in params.items() if name not in ("kind", "apiVersion")}


def _form(attributes: Attributes, match: Match) -> Form[Any]:
    if attributes.shown is None:
        return match.resource.form
    assert attributes.new is not None
    return ModelForm(type(attributes.new))


def _check_kind(document: Document, match: Match, catalog: Catalog) -> None:
    """Raise ApiError if a JSON patch changed the kind of the object, whose new content is `document`.

    If the content cannot be decoded as an object of the new kind, the error is about that instead.
    """
    api_version, kind = probe_type(document)
    found = KindName.of(api_version or match.kind.api_version, kind or match.kind.kind)
    if found == match.kind or match.resource.structural is not None:
        return
    other = catalog.of_kind(found)
    try:
        if other is not None:
            other.form.decode(document, to_json(document))
        catalog.check_kind(match.kind, found.api_version, found.kind)
    except DecodeError as error:
        raise internal_error(error.message) from None
    except WrongKind as error:
        raise internal_error(error.message if other is None else f"failed to convert object: {error.message}") from None


def _decoded(document: Document, is_patch: bool, attributes: Attributes, match: Match, catalog: Catalog) -> ApiModel:
    form = _form(attributes, match)
    try:
        if is_patch:
            if match.resource.structural is None or attributes.shown is not None:
                _check_kind(document, match, catalog)
            else:
                document = checked_custom_object(
                    document,
                    match,
                    lambda why: internal_error(f"failed to convert object: {why}"),
                    creates=attributes.operation == "CREATE",
                )
            decoded = form.decode(document, to_json(document))
            if decoded.strict_errors and match.resource.structural is None:
                raise internal_error(f"strict decoding error: {', '.join(decoded.strict_errors)}")
        else:
            decoded = form.convert(document)
    except DecodeError as error:
        if is_patch:
            raise internal_error(error.message) from None
        kind = f"{match.kind.group}/{match.kind.version}, Kind={match.kind.kind}"
        raise MutationFailed(f"unable to convert unstructured object to {kind}: {error.message}") from None
    new: Any = decoded.value
    new.kind, new.apiVersion = match.kind.kind, match.kind.api_version
    if attributes.shown is None:
        default_admitted(new, match.resource)
    made: ApiModel = new
    return made


def _refusal(failures: list[_Failure], reason: str, attributes: Attributes) -> ApiError:
    messages = [_message(failure) for failure in failures]
    error = refused(attributes, "admission request denied by policy")
    assert error.details is not None
    error.message, error.reason = messages[0], reason
    error.details = error.details._replace(causes=tuple(Cause(message=message) for message in messages))
    return error


def _message(failure: _Failure) -> str:
    if failure.binding is None:
        return f'policy "{failure.policy.name}" denied request: {failure.why}'
    return f"policy '{failure.policy.name}' with binding '{failure.binding.name}' denied request: {failure.why}"


def _key(invocation: _Invocation, params: Document | None) -> _Key:
    metadata = params["metadata"] if params is not None else {}
    return invocation.policy.name, invocation.binding.name, metadata.get("namespace", ""), metadata.get("name", "")


def _document(attributes: Attributes) -> Document | None:
    return attributes.new.to_document() if attributes.new is not None else None

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apis.admissionregistration.v1.rules.types import (
    MatchCondition,
    MatchResources,
    ParamKind,
    ParamRef,
    Variable,
)


class ApplyConfiguration(ApiModel):
    """An object mutation by server-side apply: a CEL expression that returns the fields to apply."""

    expression: str = Field(default="", description="CEL expression that returns the apply configuration.")


class JSONPatch(ApiModel):
    """An object mutation by JSON patch: a CEL expression that returns the patch operations."""

    expression: str = Field(default="", description="CEL expression that returns the list of patch operations.")


class Mutation(ApiModel):
    """One change that a policy makes to an object: an apply configuration or a JSON patch."""

    patchType: Annotated[str, Named("v1.PatchType", ("ApplyConfiguration", "JSONPatch")), Required()] = Field(
        default="", description="Type of the mutation: ApplyConfiguration or JSONPatch."
    )
    applyConfiguration: ApplyConfiguration | None = Field(
        default=None, description="Mutation by server-side apply, if patchType is ApplyConfiguration."
    )
    jsonPatch: JSONPatch | None = Field(default=None, description="Mutation by JSON patch, if patchType is JSONPatch.")


class MutatingAdmissionPolicySpec(ApiModel):
    """Desired behavior of a MutatingAdmissionPolicy: the requests it matches and its mutations."""

    paramKind: ParamKind | None = Field(
        default=None, description="API version and kind of the parameter objects; unset if the policy has none."
    )
    matchConstraints: MatchResources | None = Field(
        default=None, description="Resource rules and selectors for the requests to which the policy applies."
    )
    variables: list[Variable] = Field(
        default_factory=list, description="Named CEL expressions; each can use the values of those before it."
    )
    mutations: list[Mutation] = Field(
        default_factory=list,
        description="Changes to make to the object, in order; each sees the results of earlier ones.",
    )
    failurePolicy: Annotated[str | None, Named("v1.FailurePolicyType", ("Fail", "Ignore"))] = Field(
        default=None,
        description="Action if the policy cannot be evaluated: Fail, which rejects the request, or Ignore.",
    )
    matchConditions: Annotated[list[MatchCondition], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="CEL conditions that must all hold for the policy to be evaluated."
    )
    reinvocationPolicy: Annotated[str, Named("v1.ReinvocationPolicyType", ("IfNeeded", "Never"))] = Field(
        default="",
        description="Whether the policy is reinvoked after other plugins changed the object: Never or IfNeeded.",
    )


class MutatingAdmissionPolicy(ApiObject):
    """A policy that changes admitted objects. It takes effect if a binding refers to it."""

    spec: MutatingAdmissionPolicySpec = Field(
        default_factory=MutatingAdmissionPolicySpec,
        description="Requests that the policy matches, and the changes that it makes to their objects.",
    )


class MutatingAdmissionPolicyBindingSpec(ApiModel):
    """Name of the bound policy, its parameters, and the resources to which the binding limits the policy."""

    policyName: str = Field(
        default="", description="Name of the MutatingAdmissionPolicy that the binding puts into effect."
    )
    paramRef: ParamRef | None = Field(
        default=None, description="Name or selector of the parameter objects, for a policy with paramKind."
    )
    matchResources: MatchResources | None = Field(
        default=None,
        description="Further limits on the requests to which the policy applies; no further limits if unset.",
    )


class MutatingAdmissionPolicyBinding(ApiObject):
    """Puts a MutatingAdmissionPolicy into effect, with parameters for its expressions."""

    spec: MutatingAdmissionPolicyBindingSpec = Field(
        default_factory=MutatingAdmissionPolicyBindingSpec,
        description="Policy, parameters and matching requests of the binding.",
    )

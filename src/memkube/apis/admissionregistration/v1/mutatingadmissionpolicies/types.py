"""MutatingAdmissionPolicies and their bindings: expressions that change a write."""

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
    """A change as server-side apply makes it."""

    expression: str = Field(default="", description="Expression in CEL for the configuration to be applied.")


class JSONPatch(ApiModel):
    """A change as a JSON patch."""

    expression: str = Field(default="", description="Expression in CEL for the list of operations.")


class Mutation(ApiModel):
    """A change."""

    patchType: Annotated[str, Named("v1.PatchType", ("ApplyConfiguration", "JSONPatch")), Required()] = Field(
        default="", description="How it is written: ApplyConfiguration or JSONPatch."
    )
    applyConfiguration: ApplyConfiguration | None = Field(default=None, description="The configuration to be applied.")
    jsonPatch: JSONPatch | None = Field(default=None, description="The patch.")


class MutatingAdmissionPolicySpec(ApiModel):
    """What a policy is about, and what it changes."""

    paramKind: ParamKind | None = Field(default=None, description="Kind of the objects with its parameters.")
    matchConstraints: MatchResources | None = Field(default=None, description="Requests that it is about.")
    variables: list[Variable] = Field(
        default_factory=list, description="Named expressions, each of which may use those before it."
    )
    mutations: list[Mutation] = Field(default_factory=list, description="What is changed, one after another.")
    failurePolicy: Annotated[str | None, Named("v1.FailurePolicyType", ("Fail", "Ignore"))] = Field(
        default=None, description="What becomes of the request when the policy cannot be evaluated: Fail or Ignore."
    )
    matchConditions: Annotated[list[MatchCondition], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="Expressions that must all hold for the policy to be evaluated."
    )
    reinvocationPolicy: Annotated[str, Named("v1.ReinvocationPolicyType", ("IfNeeded", "Never"))] = Field(
        default="", description="Whether it runs again after others have changed the object: Never or IfNeeded."
    )


class MutatingAdmissionPolicy(ApiObject):
    """Changes of requests, where a binding says so."""

    spec: MutatingAdmissionPolicySpec = Field(
        default_factory=MutatingAdmissionPolicySpec, description="What it is about, and what it changes."
    )


class MutatingAdmissionPolicyBindingSpec(ApiModel):
    """Which policy holds for what."""

    policyName: str = Field(default="", description="Name of the policy.")
    paramRef: ParamRef | None = Field(default=None, description="Objects with the policy's parameters.")
    matchResources: MatchResources | None = Field(
        default=None, description="Requests for which it holds, of those that the policy is about."
    )


class MutatingAdmissionPolicyBinding(ApiObject):
    """Puts a policy into force."""

    spec: MutatingAdmissionPolicyBindingSpec = Field(
        default_factory=MutatingAdmissionPolicyBindingSpec, description="Which policy holds for what."
    )

"""MutatingAdmissionPolicies and their bindings: expressions that change a write."""

from typing import Annotated

from pydantic import Field

from memkube.apimachinery.markers import MapList, Merge, Named, Required
from memkube.apimachinery.meta.v1.api_object import ApiObject
from memkube.apimachinery.model import ApiModel
from memkube.apis.admissionregistration.v1.validatingadmissionpolicies.types import (
    MatchResources,
    ParamKind,
    ParamRef,
    Variable,
)
from memkube.apis.admissionregistration.v1.webhookconfigurations.types import MatchCondition


class ApplyConfiguration(ApiModel):
    """TODO."""

    expression: str = Field(default="", description="TODO")


class JSONPatch(ApiModel):
    """TODO."""

    expression: str = Field(default="", description="TODO")


class Mutation(ApiModel):
    """TODO."""

    patchType: Annotated[str, Named("v1.PatchType", ("ApplyConfiguration", "JSONPatch")), Required()] = Field(
        default="", description="TODO"
    )
    applyConfiguration: ApplyConfiguration | None = Field(default=None, description="TODO")
    jsonPatch: JSONPatch | None = Field(default=None, description="TODO")


class MutatingAdmissionPolicySpec(ApiModel):
    """TODO."""

    paramKind: ParamKind | None = Field(default=None, description="TODO")
    matchConstraints: MatchResources | None = Field(default=None, description="TODO")
    variables: list[Variable] = Field(default_factory=list, description="TODO")
    mutations: list[Mutation] = Field(default_factory=list, description="TODO")
    failurePolicy: Annotated[str | None, Named("v1.FailurePolicyType", ("Fail", "Ignore"))] = Field(
        default=None, description="TODO"
    )
    matchConditions: Annotated[list[MatchCondition], MapList(("name",)), Merge("name")] = Field(
        default_factory=list, description="TODO"
    )
    reinvocationPolicy: Annotated[str, Named("v1.ReinvocationPolicyType", ("IfNeeded", "Never"))] = Field(
        default="", description="TODO"
    )


class MutatingAdmissionPolicy(ApiObject):
    """TODO."""

    spec: MutatingAdmissionPolicySpec = Field(default_factory=MutatingAdmissionPolicySpec, description="TODO")


class MutatingAdmissionPolicyBindingSpec(ApiModel):
    """TODO."""

    policyName: str = Field(default="", description="TODO")
    paramRef: ParamRef | None = Field(default=None, description="TODO")
    matchResources: MatchResources | None = Field(default=None, description="TODO")


class MutatingAdmissionPolicyBinding(ApiObject):
    """TODO."""

    spec: MutatingAdmissionPolicyBindingSpec = Field(
        default_factory=MutatingAdmissionPolicyBindingSpec, description="TODO"
    )

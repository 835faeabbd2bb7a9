"""The CustomResourceDefinition of Stages, with the schema of KWOK's definition."""

from typing import Any, Final

from memkube.apimachinery.model import Document

NAME: Final = "stages.kwok.x-k8s.io"


def stage_definition() -> Document:
    """Return the CustomResourceDefinition of Stages as JSON data."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": NAME},
        "spec": {
            "group": "kwok.x-k8s.io",
            "names": {"kind": "Stage", "listKind": "StageList", "plural": "stages", "singular": "stage"},
            "scope": "Cluster",
            "versions": [
                {
                    "name": "v1alpha1",
                    "schema": {"openAPIV3Schema": _stage()},
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                }
            ],
        },
    }


def _stage() -> Document:
    stage = _object("How objects of a kind change.", required=("spec",), spec=_spec(), status=_status())
    stage["properties"] = {
        "apiVersion": _text("Group and version of the object's schema."),
        "kind": _text("Kind of the object."),
        "metadata": {"type": "object"},
        **stage["properties"],
    }
    return stage


def _spec() -> Document:
    return _object(
        "The objects that change, and how.",
        required=("resourceRef",),
        resourceRef=_object(
            "Kind of the objects.",
            required=("kind",),
            apiGroup=_text("apiVersion of the objects.", default="v1"),
            kind=_text("Kind of the objects."),
        ),
        selector=_selector(),
        weight=_integer("Share of the choices between Stages that select the same object.", default=0, minimum=0),
        weightFrom=_expression("Expression for the weight."),
        delay=_object(
            "Time before the steps.",
            durationMilliseconds=_integer("Delay in milliseconds.", format="int64", minimum=0),
            durationFrom=_expression("Expression for the delay."),
            jitterDurationMilliseconds=_integer("Longest delay in milliseconds.", format="int64", minimum=0),
            jitterDurationFrom=_expression("Expression for the longest delay."),
        ),
        next=_next(),
        immediateNextStage={"description": "True if the next Stage follows without an event.", "type": "boolean"},
        steps=_list(
            "Steps, in order.",
            _object(
                "A step.",
                event=_event(),
                finalizers=_finalizers(),
                delete={"description": "True to delete the object.", "type": "boolean"},
                patch=_patch(),
                apply=_apply(),
            ),
        ),
    )


def _selector() -> Document:
    return _object(
        "The objects that the Stage applies to. Without it, there are none.",
        matchLabels=_map("Labels that the objects have."),
        matchAnnotations=_map("Annotations that the objects have."),
        matchExpressions=_list(
            "Requirements on the objects.",
            _object(
                "A requirement on the objects.",
                cel=_object("A CEL expression.", expression=_text("The expression.")),
                jq=_object("A requirement on the results of a jq expression.", **_requirement()),
                **_requirement(),
            ),
        ),
    )


def _requirement() -> Document:
    return {
        "key": _text("The jq expression."),
        "operator": _text("In, NotIn, Exists or DoesNotExist."),
        "values": _list("Values, for In and NotIn.", {"type": "string"}),
    }


def _next() -> Document:
    return _object(
        "An older form of steps.",
        event=_event(),
        finalizers=_finalizers(),
        delete={"description": "True to delete the object.", "type": "boolean"},
        patches=_list("Patches of the object.", _patch()),
        statusTemplate=_text("Template of the object's status."),
        statusSubresource=_text("Subresource through which the status is patched.", default="status"),
        statusPatchAs=_user(),
    )


def _event() -> Document:
    return _object(
        "An event about the object.",
        type=_text("Normal or Warning."),
        reason=_text("Reason of the event."),
        message=_text("Message of the event."),
    )


def _finalizers() -> Document:
    item = _object("A finalizer.", value=_text("Name of the finalizer."))
    return _object(
        "Changes of the object's finalizers.",
        add=_list("Finalizers to add.", item),
        remove=_list("Finalizers to remove.", item),
        empty={"description": "True to remove all finalizers.", "type": "boolean"},
    )


def _patch() -> Document:
    return _object(
        "A patch of the object.",
        subresource=_text("Subresource to patch."),
        root=_text("Field that the template describes."),
        template=_text("Template of the patch."),
        type=_text("Type of the patch.", enum=["json", "merge", "strategic"]),
        impersonation=_user(),
    )


def _apply() -> Document:
    return _object(
        "The creation or the patch of any object.",
        subresource=_text("Subresource to patch."),
        template=_text("Template of the object."),
        type=_text("Type of the patch of an existing object.", enum=["apply", "merge", "strategic"]),
        impersonation=_user(),
    )


def _user() -> Document:
    return _object("The user who writes.", required=("username",), username=_text("Name of the user."))


def _expression(description: str) -> Document:
    return _object(
        description,
        cel=_object("A CEL expression.", expression=_text("The expression.")),
        jq=_object("A jq expression.", expression=_text("The expression.")),
        expressionFrom=_text("An older form of jq."),
    )


def _status() -> Document:
    name = r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])"
    domain = r"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    reason = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"
    condition = _object(
        "A condition of the Stage.",
        required=("lastTransitionTime", "message", "reason", "status", "type"),
        lastTransitionTime=_text("Time of the last change of the status.", format="date-time"),
        message=_text("Details for a person.", maxLength=32768),
        reason=_text("Reason of the last change of the status.", maxLength=1024, minLength=1, pattern=reason),
        status=_text("True, False or Unknown."),
        type=_text("Type of the condition.", maxLength=316, pattern=f"^{domain}{name}$"),
    )
    keys = {"x-kubernetes-list-map-keys": ["type"], "x-kubernetes-list-type": "map"}
    return _object("The state of the Stage.", conditions={**_list("Conditions of the Stage.", condition), **keys})


def _object(description: str, *, required: tuple[str, ...] = (), **properties: Any) -> Document:
    named = {"required": list(required)} if required else {}
    return {"description": description, "type": "object", "properties": properties, **named}


def _list(description: str, items: Document) -> Document:
    return {"description": description, "type": "array", "items": items}


def _map(description: str) -> Document:
    return {"description": description, "type": "object", "additionalProperties": {"type": "string"}}


def _text(description: str, **limits: Any) -> Document:
    return {"description": description, "type": "string", **limits}


def _integer(description: str, **limits: Any) -> Document:
    return {"description": description, "type": "integer", **limits}

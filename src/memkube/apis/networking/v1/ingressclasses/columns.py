from typing import Final

from memkube.apimachinery.model import Document
from memkube.registry.declarations.table import AGE, NAME, CellPrinter, Cells, age, column

DEFAULT_ANNOTATION: Final = "ingressclass.kubernetes.io/is-default-class"


def _cells(ingress_class: Document) -> Cells:
    metadata, spec = ingress_class["metadata"], ingress_class["spec"]
    default = (metadata.get("annotations") or {}).get(DEFAULT_ANNOTATION) == "true"
    return [
        metadata.get("name", "") + (" (default)" if default else ""),
        spec.get("controller", ""),
        _reference(spec.get("parameters")),
        age(ingress_class),
    ]


def _reference(parameters: Document | None) -> str:
    if parameters is None:
        return "<none>"
    group = parameters.get("apiGroup")
    return f"{parameters['kind']}{'' if group is None else f'.{group}'}/{parameters['name']}"


PRINTER: Final = CellPrinter(
    (
        NAME,
        column("Controller", "Controller that implements the ingresses of the class."),
        column("Parameters", "Object with parameters for the controller."),
        AGE,
    ),
    _cells,
)

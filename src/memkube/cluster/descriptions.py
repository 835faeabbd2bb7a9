"""Reading descriptions that users write in YAML, such as scenarios: unknown and repeated fields are errors."""

from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from memkube.apimachinery.decoding import DecodeError
from memkube.apimachinery.decoding.yaml_body import read_yaml
from memkube.cluster.manifests import text_of
from memkube.errors import ManifestError, UsageError

M = TypeVar("M", bound=BaseModel)


def read_description(model: type[M], path: Path, what: str) -> M:
    """Read a file in YAML that a user wrote, such as a scenario, into an instance of the Pydantic class `model`.

    The instance's field `folder` is set to the folder of the file. `what` names the content in errors, such as ``a
    scenario``. If the file cannot be read or its content is not valid, raises UsageError with a line for each problem,
    which names the file and the field.
    """
    try:
        read = read_yaml(text_of(path).encode())
    except ManifestError as error:
        raise UsageError(str(error)) from None
    except DecodeError as error:
        raise UsageError(f"{path}: not valid YAML: {error.message}") from None
    if read.strict_errors:
        raise UsageError(f"{path}: {'; '.join(map(str, read.strict_errors))}")
    if not isinstance(read.data, dict):
        raise UsageError(f"{path}: {what} must be an object with the fields {', '.join(model.model_fields)}")
    return validated_description(model, {"folder": path.parent, **read.data}, str(path))


def validated_description(model: type[M], content: dict[str, Any], source: str) -> M:
    """Return an instance of the Pydantic class `model` with this content, such as a scenario.

    Raises UsageError for invalid content. Its message has a line for each problem, which begins with `source`, the name
    of the file.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        lines = []
        for problem in error.errors(include_url=False, include_context=False, include_input=False):
            message = problem["msg"].removeprefix("Value error, ")
            lines.append(f"{source}: {_field_prefix(problem['loc'])}{message}")
        raise UsageError("\n".join(dict.fromkeys(lines))) from None


def _field_prefix(path: tuple[int | str, ...]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return f"{text}: " if text else ""

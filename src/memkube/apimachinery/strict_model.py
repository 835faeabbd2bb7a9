"""Base of the models of memkube's own APIs.

For an unknown field, the error names the known field with a similar name.
"""

from typing import Annotated, Any, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from memkube.apimachinery import labels
from memkube.errors import unknown_name


def _selector(text: str) -> str:
    labels.parse(text)
    return text


SelectorText: TypeAlias = Annotated[str, AfterValidator(_selector)]
"""Type of a model field whose text must be a valid label selector."""


class StrictModel(BaseModel):
    """A Pydantic model that rejects unknown fields, with an error that names a known field with a similar name."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _name_known_fields(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(data)
        except ValidationError as error:
            problems = error.errors()
            if not any(_is_unknown(problem) for problem in problems):
                raise
            lines = [cls._line(problem) for problem in problems]
            raise ValidationError.from_exception_data(error.title, lines) from None

    @classmethod
    def _line(cls, problem: Any) -> InitErrorDetails:
        said = problem["msg"]
        if _is_unknown(problem):
            names = [field.alias or name for name, field in cls.model_fields.items()]
            said = unknown_name("field", str(problem["loc"][0]), names)
        kind = PydanticCustomError(problem["type"], "{said}", {"said": said})
        return InitErrorDetails(type=kind, loc=problem["loc"], input=problem["input"])


def _is_unknown(problem: Any) -> bool:
    """True if the Pydantic error `problem` is about an unknown field of the validated model, not of a nested model.

    The message of an error about an unknown field names a known field with a similar name. For a nested model, the
    model's own validator, which runs first, has already created this message.
    """
    return problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1

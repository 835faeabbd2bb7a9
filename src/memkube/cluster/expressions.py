"""CEL expressions about objects, in files that users write, such as scenarios."""

import json
from typing import Any

from memkube.cel.environment import CompileError, base_environment, compile_to
from memkube.cel.errors import BudgetExhausted, EvaluationError
from memkube.cel.program import PER_CALL_LIMIT, Budget, Program
from memkube.cel.types import BOOL, DYN, list_of


class ObjectExpression:
    """A CEL expression about the variable ``object``, or about the list ``objects``.

    Raises ValueError if the expression is not valid.
    """

    def __init__(self, text: str, *, is_about_list: bool = False) -> None:
        self._text = text
        self._variable = "objects" if is_about_list else "object"
        variables = {self._variable: list_of(DYN) if is_about_list else DYN}
        compiled = compile_to(base_environment().extended(variables), text, BOOL, DYN)
        if isinstance(compiled, CompileError):
            raise ValueError(f"expression: {compiled.detail}")
        self._program = Program(compiled)

    def complaint(self, value: Any) -> str:
        """Return why the expression is not true of an object or a list of objects; an empty string if it is true."""
        try:
            holds = self._program.evaluate({self._variable: value}, Budget(PER_CALL_LIMIT))
        except BudgetExhausted:
            return f"the expression {self._text} costs too much"
        except EvaluationError as error:
            return f"the expression {self._text} failed: {error}"
        return "" if holds is True else f"expected {self._text}, found {json.dumps(holds, default=str)}"

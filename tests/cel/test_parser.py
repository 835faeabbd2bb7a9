"""The parser: when it is imported, and what becomes of expressions without it."""

import subprocess
import sys

_COMPILE = "from memkube.cel.environment import base_environment as e; e().compile('1')"


def run(program: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.strip()


def test_it_is_imported_with_the_first_expression() -> None:
    loaded = "print('cel_expr_python' in sys.modules)"
    rules = "import memkube.apis.admissionregistration.v1.rules.expressions"
    assert run(f"import sys; {rules}; {loaded}; {_COMPILE}; {loaded}").split() == ["False", "True"]


def test_expressions_are_not_implemented_where_it_is_not_installed() -> None:
    without = "import sys; sys.modules['cel_expr_python'] = None; from memkube.apimachinery.errors import ApiError\n"
    answer = f"try:\n {_COMPILE}\nexcept ApiError as error: print(error.code, error.reason)"
    assert run(without + answer) == "501 NotImplemented"

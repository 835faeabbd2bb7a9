"""Both parsers, and what cel-go answers."""

import json
from pathlib import Path

from memkube.cel.issues import Source
from memkube.cel.parsing.automaton import automaton
from memkube.cel.parsing.builder import Builder
from memkube.cel.parsing.expressions import NotPlain, parse_plain
from memkube.cel.parsing.macros import WITH_BINDINGS
from memkube.cel.parsing.prediction import Predictor
from memkube.cel.parsing.recovery import Abandoned, RecoveringParser
from memkube.cel.parsing.tokens import read_tokens
from memkube.cel.parsing.trees import Visitor
from tests.cel.parsing.written import written


def recorded(name: str) -> list[list[str]]:
    """Expressions with the answers of cel-go 0.26."""
    lines = Path(__file__).with_name(f"{name}.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def plain_tree(text: str) -> str | None:
    """The tree by recursive descent; None if that parser refuses the expression."""
    builder = Builder(Source(text), WITH_BINDINGS)
    try:
        root = parse_plain(read_tokens(text), builder)
    except NotPlain:
        return None
    return written(builder.ast(root))


def recovered(text: str) -> tuple[str | None, list[str]]:
    """The tree by the rules of ANTLR, None if a limit was exceeded, and the errors by their places."""
    source = Source(text)
    builder = Builder(source, WITH_BINDINGS)
    parser = RecoveringParser(source, read_tokens(text), automaton(), Predictor(automaton()))
    try:
        tree = written(builder.ast(Visitor(builder).expression(parser.parse())))
    except Abandoned:
        tree = None
    issues = sorted([*parser.issues, *builder.issues], key=lambda issue: (issue.line, issue.column))
    return tree, [f"{issue.line}:{issue.column + 1}: {issue.message}" for issue in issues]

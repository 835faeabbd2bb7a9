"""Parsing of command lines and error messages, which are those of pflag and of Go's package flag."""

import subprocess
import sys
from pathlib import Path

import pytest

from memkube.envtest import etcd
from memkube.envtest.apiserver import main
from memkube.envtest.apiserver_flags import FLAGS, SHORTHANDS
from memkube.envtest.flags import FlagError, Values, parse_go_flags, parse_pflags, refusals
from memkube.version import KUBERNETES_VERSION


def parsed(*arguments: str) -> Values:
    return parse_pflags(FLAGS, arguments, SHORTHANDS)


@pytest.mark.parametrize(
    "arguments",
    [["--secure-port=1234"], ["--secure-port", "1234"], ["--secure_port=1234"], ["--secure-port=0x4d2"]],
    ids=["=", "apart", "underscore", "hexadecimal"],
)
def test_a_value_follows_its_flag(arguments: list[str]) -> None:
    assert parsed(*arguments).number("secure-port", 0) == 1234


def test_a_boolean_flag_needs_no_value() -> None:
    values = parsed("--allow-privileged", "--profiling=false", "-v", "4")
    assert values.is_on("allow-privileged")
    assert not values.is_on("profiling", default=True)
    assert (values.text("v"), values.arguments) == ("4", [])


def test_lists_are_joined_and_the_last_single_value_counts() -> None:
    values = parsed("--api-audiences=a,b", "--api-audiences=c", "--cert-dir=x", "--cert-dir=y")
    assert values.items("api-audiences") == ["a", "b", "c"]
    assert values.text("cert-dir") == "y"


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ("--foo", "unknown flag: --foo"),
        ("-f", "unknown shorthand flag: 'f' in -f"),
        ("--=x", "bad flag syntax: --=x"),
        ("--secure-port", "flag needs an argument: --secure-port"),
        (
            "--secure-port=x",
            'invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax',
        ),
        ("--bind-address=x", 'invalid argument "x" for "--bind-address" flag: failed to parse IP: "x"'),
        (
            "--allow-privileged=no",
            'invalid argument "no" for "--allow-privileged" flag: strconv.ParseBool: parsing "no": invalid syntax',
        ),
        (
            "--version=v1.35.0",
            (
                'invalid argument "v1.35.0" for "--version" flag: version "v1.35.0" must match major/minor/patch of '
                f'default version "v{KUBERNETES_VERSION}"'
            ),
        ),
        (
            "--version=vx",
            'invalid argument "vx" for "--version" flag: could not parse "vx" as version',
        ),
        ("--event-ttl=x", 'invalid argument "x" for "--event-ttl" flag: time: invalid duration "x"'),
    ],
)
def test_a_wrong_flag_gets_the_message_of_pflag(argument: str, message: str) -> None:
    with pytest.raises(FlagError) as refused:
        parsed(argument)
    assert str(refused.value) == message


@pytest.mark.parametrize("argument", ["-data-dir=x", "--data-dir=x"])
def test_go_flags_have_one_dash_or_two(argument: str) -> None:
    assert parse_go_flags(etcd.FLAGS, [argument]).text("data-dir") == "x"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-foo"], "flag provided but not defined: -foo"),
        (["--foo=1"], "flag provided but not defined: -foo"),
        (["-data-dir"], "flag needs an argument: -data-dir"),
        (["--unsafe-no-fsync=x"], 'invalid boolean value "x" for -unsafe-no-fsync: parse error'),
    ],
)
def test_a_wrong_flag_gets_the_message_of_go(arguments: list[str], message: str) -> None:
    with pytest.raises(FlagError) as refused:
        parse_go_flags(etcd.FLAGS, arguments)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        (["--event-ttl=60m", "--enable-garbage-collector"], []),
        (["--event-ttl=2h"], ["memkube does not support --event-ttl=2h, only 1h0m0s"]),
        (["--tracing-config-file="], []),
        (
            ["--tracing-config-file=x"],
            ["memkube does not support --tracing-config-file: no traces are sent"],
        ),
        (["--watch-cache=false", "--goaway-chance=0.01"], []),
    ],
)
def test_values_that_are_not_served_are_refused(arguments: list[str], refused: list[str]) -> None:
    assert refusals(parsed(*arguments)) == refused


def test_the_server_takes_no_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve"]) == 1
    assert capsys.readouterr().err == 'Error: "kube-apiserver" does not take any arguments, got ["serve"]\n'


@pytest.mark.parametrize("program", ["kube-apiserver", "etcd"])
def test_the_help_imports_nothing_of_the_server(program: str, programs: Path) -> None:
    code = f"""
import sys
from memkube.envtest.__main__ import main
sys.argv = ["memkube", {str(programs / program)!r}, "--help"]
assert main() == 0
print(sorted(name for name in sys.modules if name.startswith(("fastapi", "pydantic", "memkube.server"))))
"""
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("argument", ["--version", "--version=true", "--version=raw"])
def test_the_version_is_printed(argument: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([argument]) == 0
    assert capsys.readouterr().out == f"Kubernetes v{KUBERNETES_VERSION}\n"

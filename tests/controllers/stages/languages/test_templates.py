"""Templates of Stages. The expected texts are those of Go's ``text/template``."""

from typing import Any

import pytest

from memkube.apimachinery.decoding.yaml_body import parse_yaml
from memkube.controllers.stages.languages.template_functions import FUNCTIONS
from memkube.controllers.stages.languages.template_syntax import TemplateSyntaxError
from memkube.controllers.stages.languages.template_values import TemplateError, load_data
from memkube.controllers.stages.languages.templates import Template

POD = b"""{"metadata": {"name": "p", "labels": {"a": "b", "c": "d"}, "annotations": null},
"spec": {"n": 3, "on": true, "containers": [{"name": "a", "image": "i"}, {"name": "b", "p": "Always"}]},
"status": {"phase": "Running"}}"""


def rendered(text: str, data: bytes = POD) -> str:
    return Template(text, FUNCTIONS).render(load_data(data), FUNCTIONS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a{{ .metadata.name }}b", "apb"),
        ("{{ .nothing }}|{{ .nothing.more }}", "<no value>|<no value>"),
        ("{{ .metadata.labels }} {{ .spec.containers }}", "map[a:b c:d] [map[image:i name:a] map[name:b p:Always]]"),
        ("{{ range .spec.containers }}-{{ .name }}{{ end }}", "-a-b"),
        ("{{ range $i, $c := .spec.containers }}{{ $i }}={{ $c.name }},{{ end }}", "0=a,1=b,"),
        ("{{ range $k, $v := .metadata.labels }}{{ $k }}={{ $v }},{{ end }}", "a=b,c=d,"),
        ("{{ range .nothing }}x{{ else }}none{{ end }}", "none"),
        ("{{ range 3 }}{{ . }}{{ end }}", "012"),
        ('{{ range .spec.containers }}{{ if eq .name "b" }}{{ break }}{{ end }}{{ .name }}{{ end }}', "a"),
        ('{{ range .spec.containers }}{{ if eq .name "a" }}{{ continue }}{{ end }}{{ .name }}{{ end }}', "b"),
        ('{{ range .spec.containers }}{{ eq .p "Always" }} {{ end }}', "false true "),
        ("{{ if .spec.on }}y{{ else }}n{{ end }}", "y"),
        ("{{ if .nothing }}y{{ else if .spec.on }}m{{ else }}n{{ end }}", "m"),
        ("{{ with .spec }}{{ .n }}{{ $.metadata.name }}{{ end }}", "3p"),
        ("{{ with .nothing }}x{{ else with .status }}{{ .phase }}{{ end }}", "Running"),
        ("{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}", "2"),
        ("{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ $x }}{{ end }}{{ $x }}", "21"),
        ('{{ $a := or .metadata.annotations dict }}{{ or (index $a "x") "d" }}', "d"),
        ("{{ (index .spec.containers 1).name }}", "b"),
        ("{{ and 1 0 2 }} {{ or 0 3 4 }} {{ not .x }}", "0 3 true"),
        ('{{ "" | or "" | printf "%s-%v" "a" }}', "a-"),
        ("{{ lt 1 2 }} {{ le 2 2 }} {{ gt 1 2 }} {{ ge 2 1 }} {{ ne 1 1 }}", "true true false true false"),
        ('{{ print 1 2 "a" "b" 3 }}|{{ println 1 "a" }}', "1 2ab3|1 a\n"),
        ("a {{- .metadata.name -}} b{{/* c */}} {{- /* d */ -}} c", "apbc"),
        ("{{ 010 }} {{ 0o17 }} {{ -0b11 }} {{ 1_000 }}", "8 15 -3 1000"),
        ("{{ 0x1F }} {{ 1e3 }} {{ 1000000.0 }} {{ 'a' }} {{ `\\n` }}", "31 1000 1e+06 97 \\n"),
        ('{{ "a}}b" }}', "a}}b"),
        ('{{ .metadata.name | Quote }} {{ Quote .spec.n }} {{ Quote "<" }}', '"p" "3" "\\u003c"'),
        ('{{ default "d" .x }} {{ ternary 1 2 true }} {{ list "a" .metadata.name | join "-" }}', "d 1 a-p"),
        ("{{ html `<a href='x'>&` }} {{ urlquery `a b&c=d/~` }}", "&lt;a href=&#39;x&#39;&gt;&amp; a+b%26c%3Dd%2F~"),
        ("{{ js `it's <b>=` }}", r"it\'s \u003Cb\u003E\u003D"),
        ('{{ add 1 .spec.n }} {{ until 3 }} {{ "Ab" | lower | trunc 1 }}', "4 [0 1 2] a"),
        ("{{ int 1e999 }}", "-9223372036854775808"),
        ('{{ hasKey .metadata.labels "a" }} {{ get .metadata.labels "z" | quote }}', 'true ""'),
    ],
)
def test_templates_are_rendered_as_by_go(text: str, expected: str) -> None:
    assert rendered(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{{ define "x" }}[{{ . }}{{ $ }}]{{ end }}a{{ template "x" .metadata.name }}b', "a[pp]b"),
        ('{{ template "x" }}{{ define "x" }}({{ . }}){{ end }}', "(<no value>)"),
        ('{{ block "y" .spec.n }}<{{ . }}>{{ end }}{{ template "y" 1 }}', "<3><1>"),
        (
            '{{ define "r" }}{{ . }}{{ if . }}{{ template "r" rest . }}{{ end }}{{ end }}{{ template "r" list 1 }}',
            "[1][]",
        ),
        ('{{ define "x" }} {{ end }}{{ define "x" }}a{{ end }}{{ define "x" }}{{ end }}{{ template "x" }}', "a"),
        ('{{ $y := 1 }}{{ template "x" $y }}{{ define "x" }}{{ add . 1 }}{{ end }}', "2"),
    ],
)
def test_templates_insert_named_templates(text: str, expected: str) -> None:
    assert rendered(text) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ .metadata.annotations.x }}", "nil pointer evaluating interface {}.x"),
        ("{{ .metadata.name.x }}", "can't evaluate field x in type string"),
        ("{{ index .spec.containers 5 }}", "error calling index: index out of range: 5"),
        ('{{ index .nothing "a" }}', "error calling index: index of untyped nil"),
        ("{{ eq .spec.n 3 }}", "error calling eq: incompatible types for comparison"),
        ("{{ range .metadata.name }}{{ end }}", "range can't iterate over p"),
        ("{{ len 3 }}", "error calling len: len of type int"),
        ("{{ not 1 2 }}", "wrong number of args for not: got 2"),
        ("{{ 3 4 }}", "can't give argument to non-function"),
        ('{{ printf "%*d" 3 4 }}', "error calling printf: printf: %* is not supported"),
        ('{{ template "x" }}', 'template "x" not defined'),
        ('{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}', "exceeded maximum template depth (40)"),
        ('{{ fail "no" }}', "error calling fail: no"),
        ("{{ range until 999 }}{{ range until 999 }}{{ end }}{{ end }}", "the template takes more than 100000 steps"),
    ],
)
def test_what_cannot_be_rendered_is_an_error(text: str, message: str) -> None:
    with pytest.raises(TemplateError) as error:
        rendered(text)
    assert str(error.value) == message


@pytest.mark.parametrize(
    "text",
    [
        '{{ repeat 9000000 "x" }}',
        '{{ indent 3000 (repeat 3000 "\\n") }}',
        '{{ repeat 3000 "x" | replace "x" (repeat 3000 "y") }}',
        '{{ repeat 3000 "x" | splitList "" | join (repeat 3000 "y") }}',
        '{{ regexReplaceAll "x" (repeat 3000 "x") (repeat 3000 "y") }}',
        '{{ wrapWith 1 (repeat 3000 "y") (repeat 3000 "x") }}',
        '{{ $x := "x" }}{{ range 22 }}{{ $x = print $x $x }}{{ end }}',
    ],
)
def test_functions_do_not_return_very_long_texts(text: str) -> None:
    with pytest.raises(TemplateError, match="the text has more than 4000000 characters"):
        rendered(text)


@pytest.mark.parametrize("text", ["{{ until 100001 }}", "{{ $x := until 50001 }}{{ concat $x $x }}"])
def test_functions_do_not_return_very_long_lists(text: str) -> None:
    with pytest.raises(TemplateError, match="the list has more than 100000 items"):
        rendered(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{{ env "HOME" }}', 'function "env" not defined'),
        ("{{ template .x }}", "unexpected '.x' in template clause"),
        ('{{ if true }}{{ define "x" }}{{ end }}{{ end }}', "unexpected <define> in command"),
        ('{{ define "x" }}a{{ end }}{{ define "x" }}b{{ end }}', 'multiple definition of template "x"'),
        ("{{ 08 }}", "bad number syntax: '08'"),
        ("{{ 9223372036854775808 }}", "bad number syntax: '9223372036854775808'"),
        ('{{ $y := 1 }}{{ define "x" }}{{ $y }}{{ end }}', 'undefined variable "$y"'),
        ('{{ define "x" }}a', "unexpected EOF: a block has no {{end}}"),
        ('{{ range .x }}{{ block "x" . }}{{ break }}{{ end }}{{ end }}', "{{break}} outside {{range}}"),
        ("{{ if true }}x", "unexpected EOF: a block has no {{end}}"),
        ("{{ end }}", "unexpected {{end}}"),
        ("{{ $y }}", 'undefined variable "$y"'),
        ("{{ break }}", "{{break}} outside {{range}}"),
        ('{{ "a" | "b" }}', "non executable command in pipeline"),
        ("{{ print 1,2 }}", "unexpected ',' in operand"),
        ("{{ print (1 }}", "unclosed left paren"),
        ("{{ print", "unclosed action"),
        ("{{ if }}x{{ end }}", "missing value for if"),
    ],
)
def test_a_template_outside_of_the_subset_is_refused(text: str, message: str) -> None:
    with pytest.raises(TemplateSyntaxError) as refusal:
        Template(text, FUNCTIONS)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    "value",
    [{"cpu": "1k", "m": {"a": [1, {"b": "yes"}], "e": [], "f": {}}}, ["a", ["b"], {"c": "1e3", "d": None}], "x: y", 3],
)
@pytest.mark.parametrize("indent", [1, 3])
def test_yaml_describes_the_same_value(value: Any, indent: int) -> None:
    text = "a:\n{{ YAML .value " + str(indent) + " }}\n"
    data = {"value": value}
    template = Template(text, FUNCTIONS)
    assert parse_yaml(template.render(data, FUNCTIONS).encode()) == {"a": value}

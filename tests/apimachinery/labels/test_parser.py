import pytest

from memkube.apimachinery import labels

VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation "
    "is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@pytest.mark.parametrize(
    ("text", "selected", "left_out"),
    [
        ("app=web", {"app": "web"}, {"app": "db"}),
        ("app==web", {"app": "web"}, {}),
        ("app!=web", {}, {"app": "web"}),
        ("app", {"app": ""}, {}),
        ("!app", {}, {"app": "web"}),
        ("app in (web,db)", {"app": "db"}, {"app": "x"}),
        ("app notin (web, db)", {}, {"app": "db"}),
        ("app in (in,notin)", {"app": "notin"}, {"app": "web"}),
        ("in in (a)", {"in": "a"}, {"in": "in"}),
        ("notin", {"notin": "a"}, {"in": "a"}),
        ("app=web,tier!=front", {"app": "web"}, {"app": "web", "tier": "front"}),
        ("a,b,!c", {"a": "", "b": ""}, {"a": "", "b": "", "c": ""}),
        ("n > 1, n < 11", {"n": "5"}, {"n": "11"}),
        (" app\t=\nweb\r", {"app": "web"}, {"app": ""}),
    ],
)
def test_a_selector_selects_by_its_requirements(text: str, selected: dict[str, str], left_out: dict[str, str]) -> None:
    selector = labels.parse(text)
    assert selector.matches(selected)
    assert not selector.matches(left_out)


@pytest.mark.parametrize("text", ["app=", "app==,app", "app in ()", "app in (,)", "app in (,web)", "app in (web,,db)"])
def test_an_empty_value_is_a_value(text: str) -> None:
    assert labels.parse(text).matches({"app": ""})
    assert not labels.parse(text).matches({})


@pytest.mark.parametrize("text", ["", "  "])
def test_an_empty_selector_selects_everything(text: str) -> None:
    assert labels.parse(text).matches({})


def test_a_label_that_is_no_number_is_neither_greater_nor_less() -> None:
    assert not labels.parse("n>1").matches({"n": "x"})
    assert not labels.parse("n<1").matches({"n": "99999999999999999999"})


def test_requirements_are_sorted_by_key() -> None:
    assert [r.key for r in labels.parse("b,a in (x),c!=d").requirements] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("=web", "found '=', expected: !, identifier, or 'end of string'"),
        ("(app=web)", "found '(', expected: !, identifier, or 'end of string'"),
        (",app", "found ',', expected: !, identifier, or 'end of string'"),
        ("app in (web))", "found ')', expected: ',' or 'end of string'"),
        ("app=web tier=front", "found 'tier', expected: ',' or 'end of string'"),
        ("!app=web", "found '=', expected: ',' or 'end of string'"),
        ("app,", "found '', expected: identifier after ','"),
        ("app,,tier", "found ',', expected: identifier after ','"),
        ("app===web", "unable to parse requirement: found '=', expected: identifier"),
        ("n>=5", "unable to parse requirement: found '=', expected: identifier"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("!!app", "unable to parse requirement: found '!', expected: identifier"),
        ("app!web", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"),
        ("app web", "unable to parse requirement: found 'web', expected: in, notin, =, ==, !=, gt, lt"),
        ("app in", "unable to parse requirement: found '' expected: '('"),
        ("app notin web", "unable to parse requirement: found 'web' expected: '('"),
        ("app in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"),
        ("app in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
        ("app in (web", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("app in (web db)", "unable to parse requirement: found 'db', expected: ',' or ')'"),
        ("app in (web,", "unable to parse requirement: found '', expected: ',', or identifier"),
        ("app in (,=", "unable to parse requirement: found '=', expected: ',', or identifier"),
    ],
)
def test_what_cannot_be_parsed_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
        labels.parse(text)
    assert str(caught.value) == message


def test_a_malformed_key_is_refused_without_a_path() -> None:
    with pytest.raises(ValueError, match=r'^unable to parse requirement: <nil>: Invalid value: "a;b": name part must '):
        labels.parse("a;b=web")


def test_a_malformed_value_is_named_by_its_place_among_the_sorted_values() -> None:
    with pytest.raises(ValueError, match=r"values") as caught:
        labels.parse("app in (x,-,a)")
    assert str(caught.value) == f'unable to parse requirement: values[0][app]: Invalid value: "-": {VALUE_RULE}'


def test_a_bound_breaks_every_rule_that_it_breaks() -> None:
    with pytest.raises(ValueError, match=r"values") as caught:
        labels.parse("n>-")
    assert str(caught.value) == (
        "unable to parse requirement: [values[0]: Invalid value: \"-\": for 'Gt', 'Lt' operators, the value must be an "
        f'integer, values[0][n]: Invalid value: "-": {VALUE_RULE}]'
    )


def test_a_nul_ends_a_word_and_between_words_the_text() -> None:
    assert labels.parse("app\0=web\0\0,tier").requirements == labels.parse("app=web").requirements

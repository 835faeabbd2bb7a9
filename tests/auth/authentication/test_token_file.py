from pathlib import Path

import pytest

from memkube.auth.authentication.token_file import read_token_file
from memkube.registry.declarations.request_options import User


def users(folder: Path, text: str) -> dict[str, User]:
    file = folder / "tokens.csv"
    file.write_text(text)
    return read_token_file(file)


def test_a_line_has_a_token_a_user_a_uid_and_groups(tmp_path: Path) -> None:
    found = users(tmp_path, 'a,alice,1\n\nb,bob,2,"developers,testers"\n')
    assert found == {"a": User("alice", "1", ()), "b": User("bob", "2", ("developers", "testers"))}


def test_the_last_line_with_a_token_counts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert users(tmp_path, "a,alice,1\na,bob,2\n,nobody,3\n") == {"a": User("bob", "2", ())}
    assert [record.getMessage().partition(" has")[0] for record in caplog.records] == ["duplicate token", "empty token"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,alice\n", "must have at least 3 columns (token, user name, user uid), found 2"),
        ('a,"alice,1\n', 'parse error on line 1, column 12: extraneous or missing " in quoted-field'),
        ('a, "alice",1\n', 'parse error on line 1, column 4: bare " in non-quoted-field'),
        ('a,"b\nc"d,1', 'record on line 1; parse error on line 2, column 2: extraneous or missing " in quoted-field'),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match="token file") as refused:
        users(tmp_path, text)
    assert message in str(refused.value)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot read the token file"):
        read_token_file(tmp_path / "absent.csv")


def test_spaces_and_quotes_are_parts_of_a_field(tmp_path: Path) -> None:
    found = users(tmp_path, ' a, alice ,1\r\n"b""c\nd",,2\r')
    assert found == {" a": User(" alice ", "1", ()), 'b"c\nd': User("", "2", ())}

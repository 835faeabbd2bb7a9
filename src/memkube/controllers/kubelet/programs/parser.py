"""Parser for the simulated part of the shell language (POSIX.1-2024, XCU 2)."""

import re
from typing import Final, Literal

from memkube.controllers.kubelet.programs.program import NotSimulated
from memkube.controllers.kubelet.programs.syntax import (
    Case,
    Command,
    For,
    If,
    Loop,
    Negation,
    Pipeline,
    Redirected,
    Redirection,
    Sequence,
    Simple,
    Subshell,
    Text,
    Word,
)
from memkube.controllers.kubelet.programs.words import WordReader

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_REDIRECTION: Final = re.compile(r"([12]?)(>>|>&|>\|?)|([0-9]?)(<)(?![<&])|(&)(>>?)|(<<)(-?)(?!<)")
_BLANK: Final = re.compile(r"(?:[ \t]|\\\n)+|(?<![^\s;&|()])#[^\n]*")
_SEPARATOR: Final = re.compile(r"(?:;(?!;)|[\n \t]|\\\n|#[^\n]*)+")
_WORD: Final = re.compile(r"[^\s;&|()<>]+")
_ENDS_WORDS: Final = frozenset(";&|()\n<>")
_CLOSING: Final = frozenset({"then", "else", "elif", "fi", "do", "done", "}", "esac"})


def parse_script(text: str, first_line: int | None = None) -> Sequence:
    """Parse a shell script, whose lines are numbered from `first_line` on; None if they have no numbers.

    Raises NotSimulated for syntax errors and for syntax that is not simulated.
    """
    parser = _Parser(text, first_line)
    try:
        sequence = parser.sequence()
    except RecursionError:
        raise NotSimulated("shell commands are nested too deeply to be simulated") from None
    if not parser.at_end:
        raise NotSimulated(f"unexpected {parser.remaining[:10]!r} in a shell script")
    return sequence


class _Parser:
    def __init__(self, text: str, first_line: int | None) -> None:
        self._text = text
        self._at = 0
        self._first_line = first_line
        self._removed: list[tuple[int, int]] = []
        """For each here-document that was removed from the text, its position and its number of lines."""

    @property
    def remaining(self) -> str:
        return self._text[self._at :]

    @property
    def _line(self) -> int | None:
        """Number of the line at the present position."""
        if self._first_line is None:
            return None
        removed = sum(lines for position, lines in self._removed if position <= self._at)
        return self._first_line + self._text.count("\n", 0, self._at) + removed

    @property
    def at_end(self) -> bool:
        return self._at >= len(self._text)

    def sequence(self) -> Sequence:
        """Parse shell commands up to the end of the text, a closing reserved word or a closing bracket."""
        items: list[tuple[Literal[";", "&&", "||"], Command]] = []
        connector: Literal[";", "&&", "||"] = ";"
        self._skip(_SEPARATOR)
        while not (self.at_end or self._peek_word() in _CLOSING or self.remaining.startswith((")", ";;"))):
            items.append((connector, self._command()))
            self._skip(_BLANK)
            if self.remaining.startswith(("&&", "||")):
                connector = "&&" if self.remaining[0] == "&" else "||"
                self._at += 2
            elif self.remaining[:1] in ("", ";", "\n", ")"):
                connector = ";"
            else:
                raise NotSimulated(f"{self.remaining[0]!r} is not simulated")
            self._skip(_SEPARATOR)
        if connector != ";":
            raise NotSimulated("a command is missing in a shell script")
        return Sequence(tuple(items))

    def _command(self) -> Command:
        """Parse a shell pipeline, which may begin with ``!``."""
        self._skip(_BLANK)
        if self._peek_word() == "!":
            self._expect("!")
            return Negation(self._command())
        commands = [self._redirected()]
        while self.remaining.startswith("|") and not self.remaining.startswith("||"):
            self._at += 1
            self._skip(_SEPARATOR)
            commands.append(self._redirected())
        return commands[0] if len(commands) == 1 else Pipeline(tuple(commands))

    def _redirected(self) -> Command:
        self._skip(_BLANK)
        redirections: list[Redirection] = []
        command = self._compound() or self._simple(redirections)
        self._skip(_BLANK)
        while not self.at_end and (found := _REDIRECTION.match(self._text, self._at)):
            redirections.append(self._redirection(found))
            self._skip(_BLANK)
        return Redirected(command, tuple(redirections)) if redirections else command

    def _compound(self) -> Command | None:
        if self.remaining.startswith("("):
            self._at += 1
            body = self.sequence()
            if not self.remaining.startswith(")"):
                raise NotSimulated(") is missing in a shell script")
            self._at += 1
            return Subshell(body)
        match self._peek_word():
            case "while" | "until" as keyword:
                return self._loop(keyword)
            case "for":
                return self._for()
            case "if":
                return self._if()
            case "case":
                return self._case()
            case "{":
                self._expect("{")
                return self._closed("}")
            case "function" | "select" as word:
                raise NotSimulated(f"{word} is not simulated")
        return None

    def _case(self) -> Case:
        self._expect("case")
        self._skip(_BLANK)
        word = self._word()
        self._expect("in")
        branches = []
        self._skip(_SEPARATOR)
        while self._peek_word() != "esac":
            if self.remaining.startswith("("):
                self._at += 1
            patterns = self._words()
            while self.remaining.startswith("|"):
                self._at += 1
                patterns += self._words()
            if not self.remaining.startswith(")") or not patterns:
                raise NotSimulated("a pattern is missing in a shell script")
            self._at += 1
            branches.append((tuple(patterns), self.sequence()))
            self._at += 2 if self.remaining.startswith(";;") else 0
            self._skip(_SEPARATOR)
        self._expect("esac")
        return Case(word, tuple(branches))

    def _loop(self, keyword: str) -> Loop:
        self._expect(keyword)
        condition = self._closed("do")
        return Loop(condition, self._closed("done"), keyword == "until")

    def _for(self) -> For:
        self._expect("for")
        name = self._name()
        words: tuple[Word, ...] = ()
        self._skip(_BLANK)
        if self._peek_word() == "in":
            self._expect("in")
            words = tuple(self._words())
        self._skip(_SEPARATOR)
        self._expect("do")
        return For(name, words, self._closed("done"))

    def _if(self) -> If:
        self._expect("if")
        branches = []
        otherwise = None
        while True:
            condition = self._closed("then")
            branches.append((condition, self.sequence()))
            word = self._peek_word()
            self._expect(word)
            if word == "else":
                otherwise = self._closed("fi")
            elif word == "elif":
                continue
            elif word != "fi":
                raise NotSimulated("unterminated if")
            return If(tuple(branches), otherwise)

    def _simple(self, redirections: list[Redirection]) -> Simple:
        """Parse a simple shell command. Redirections among its words are added to `redirections`."""
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        line = self._line
        while self._more_words():
            if found := _REDIRECTION.match(self._text, self._at):
                redirections.append(self._redirection(found))
            elif not words and (found := _ASSIGNMENT.match(self._text, self._at)):
                self._at = found.end()
                assignments.append((found[1], self._word() if self._value_follows() else ()))
            else:
                words.append(self._word())
                if len(words) == 1 and self.remaining.startswith("("):
                    raise NotSimulated("shell functions are not simulated")
        if not (assignments or words or redirections):
            raise NotSimulated(f"{self.remaining[:1]!r} is not simulated")
        return Simple(tuple(assignments), tuple(words), line)

    def _value_follows(self) -> bool:
        if self.remaining.startswith("("):
            raise NotSimulated("shell arrays are not simulated")
        return not self.at_end and self.remaining[0] not in _ENDS_WORDS and not self.remaining[0].isspace()

    def _redirection(self, found: re.Match[str]) -> Redirection:
        self._at = found.end()
        self._skip(_BLANK)
        if found[4]:
            if found[3] not in ("", "0"):
                raise NotSimulated(f"{found[0]} is not simulated")
            return Redirection("stdin", self._word())
        if found[7]:
            return self._here_document(strips_tabs=bool(found[8]))
        if found[5]:
            return Redirection("both", self._word(), appends=found[6] == ">>")
        stream: Literal["stdout", "stderr"] = "stderr" if found[1] == "2" else "stdout"
        return Redirection(stream, self._word(), appends=found[2] == ">>", duplicates=found[2] == ">&")

    def _here_document(self, *, strips_tabs: bool) -> Redirection:
        """Parse a here-document, and remove its lines from the text that remains to be parsed.

        `strips_tabs` is True for ``<<-``, which removes the tabs at the beginning of each line.
        """
        found = _WORD.match(self._text, self._at)
        line_end = self._text.find("\n", self._at)
        if found is None or line_end < 0:
            raise NotSimulated("unterminated here-document")
        self._at = found.end()
        end, body, at = found[0].strip("'\"\\"), "", line_end + 1
        while at < len(self._text):
            line = self._text[at : (self._text.find("\n", at) + 1) or None]
            at += len(line)
            shown = line.lstrip("\t") if strips_tabs else line
            if shown.rstrip("\n") == end:
                self._removed.append((line_end + 1, self._text.count("\n", line_end + 1, at)))
                self._text = self._text[: line_end + 1] + self._text[at:]
                return Redirection("stdin", self._here_text(body, expands=end == found[0]), is_text=True)
            body += shown
        raise NotSimulated("unterminated here-document")

    def _here_text(self, body: str, *, expands: bool) -> Word:
        if not expands:
            return (Text(body, quoted=True),)
        if '"' in body and re.search(r"[\\`]|\$\((?!\()", body):
            raise NotSimulated("a here-document with quotes and substitutions is not simulated")
        quotes = body.replace('"', '\\"')
        return WordReader(f'"{quotes}"', 0, parse_script).read()

    def _words(self) -> list[Word]:
        words = []
        while self._more_words():
            words.append(self._word())
        return words

    def _more_words(self) -> bool:
        self._skip(_BLANK)
        if self.at_end:
            return False
        return self.remaining[0] not in _ENDS_WORDS or bool(_REDIRECTION.match(self._text, self._at))

    def _word(self) -> Word:
        line = self._line
        reader = WordReader(self._text, self._at, lambda text: parse_script(text, line))
        word = reader.read()
        self._at = reader.position
        return word

    def _closed(self, word: str) -> Sequence:
        sequence = self.sequence()
        self._expect(word)
        return sequence

    def _expect(self, word: str) -> None:
        self._skip(_SEPARATOR)
        if self._peek_word() != word:
            raise NotSimulated(f"{word} is missing in a shell script")
        self._at += len(word)

    def _name(self) -> str:
        self._skip(_BLANK)
        found = _NAME.match(self._text, self._at)
        if not found:
            raise NotSimulated("a name is missing in a shell script")
        self._at = found.end()
        return found[0]

    def _peek_word(self) -> str:
        found = _WORD.match(self._text, self._at)
        return found[0] if found else ""

    def _skip(self, pattern: re.Pattern[str]) -> None:
        while found := pattern.match(self._text, self._at):
            self._at = found.end()

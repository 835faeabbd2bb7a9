"""Configuration files of authentication and authorization, which are read again when they change."""

import logging
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Final

from memkube.auth.authentication.changing_files import ChangingFiles
from memkube.telemetry.measures import ConfigurationReloads

_LOGGER: Final = logging.getLogger("memkube")


class ConfigurationFile:
    """A configuration file of kube-apiserver that may change while the server runs.

    kube-apiserver is notified of changes, and reads the file each minute as well. This class checks for a change when
    :meth:`reload` is called, at most once a second.
    """

    def __init__(self, path: Path, subject: str, reloads: ConfigurationReloads, now: Callable[[], datetime]) -> None:
        """Read the file.

        `subject` is ``authentication`` or ``authorization``, for the log. `reloads` counts the reloads, and `now`
        returns the time of the server's clock. Raises ValueError with a one-line message if the file cannot be read.
        """
        self.path = path
        self._subject = subject
        self._reloads = reloads
        self._now = now
        self._files = ChangingFiles([path])
        self.text = self._read()
        """The content of the file when it was last read."""
        reloads.use(self.text)

    def reload(self, use: Callable[[str], None]) -> None:
        """If the content of the file has changed, call the function `use` with the new content.

        `use` raises ValueError if the content is not valid. In this case, or if the file cannot be read, the failure is
        logged and counted, and the caller keeps the previous configuration.
        """
        text = self.changed()
        if text is None:
            return
        try:
            use(text)
        except ValueError as error:
            self.note_failure(error)
        else:
            self.note_use()

    def changed(self) -> str | None:
        """Return the content of the file if it has changed; None if not, or if the file cannot be read.

        A file that cannot be read is logged and counted as a failure.
        """
        if not self._files.have_changed():
            return None
        try:
            text = self._read()
        except ValueError as error:
            self.note_failure(error)
            return None
        if text == self.text:
            return None
        self.text = text
        return text

    def note_failure(self, error: Exception) -> None:
        """Log and count a new content that is not used."""
        self._reloads.note("failure", self._now())
        _LOGGER.warning("the %s configuration is not reloaded: %s", self._subject, error)

    def note_use(self) -> None:
        """Log and count the new content, which is in use from now on."""
        self._reloads.use(self.text)
        self._reloads.note("success", self._now())
        _LOGGER.info("reloaded the %s configuration %s", self._subject, self.path)

    def _read(self) -> str:
        try:
            return self.path.read_text()
        except OSError as error:
            raise ValueError(f"cannot read the {self._subject} configuration {self.path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise ValueError(f"the {self._subject} configuration {self.path} is not valid UTF-8") from None

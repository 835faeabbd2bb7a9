"""The web page, which shows a server, its history and its clock in a browser.

The page is a client of the API of the server in whose process it runs. It must not import the
declarations of kinds or the storage.
"""

from typing import Final

PREFIX: Final = "/ui"
"""Path prefix of the web page. The page of an object or a list has the path of the object or list in the API after it.
"""

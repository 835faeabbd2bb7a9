"""The web page, which shows a server, its history and its clock in a browser.

The page is a client of the API of the server in whose process it runs. So it needs neither the declarations of kinds
nor the storage, and must not import them.
"""

from typing import Final

PREFIX: Final = "/ui"
"""Path prefix of the web page. The page of an object or a list has the path of the object or list in the API after it.
"""

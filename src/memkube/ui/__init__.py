"""The web page: shows a server, its past and its clock in a browser.

The page is a client of the server's own API, in the same process. It may know neither a single kind nor the storage.
"""

from typing import Final

PREFIX: Final = "/ui"
"""Path prefix of the web page. The rest of a path of a list or an object is the path in the API."""

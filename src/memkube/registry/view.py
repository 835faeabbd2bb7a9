"""Objects as a subresource shows them: as objects of another kind, which can be changed and put back (``scale``)."""

from abc import ABC, abstractmethod
from typing import Any

from memkube.apimachinery.model import Document


class View(ABC):
    """How the objects of one resource look as objects of another kind."""

    @abstractmethod
    def show(self, document: Document) -> Document:
        """What is shown of an object. It has the object's name, uid and resourceVersion, and no managedFields."""

    @abstractmethod
    def owners(self, document: Document) -> list[Document]:
        """The managedFields of what is shown."""

    @abstractmethod
    def put_back(self, shown: Any, current: Document) -> Document:
        """The object `current` with what was changed in `shown`, an object of the kind, managedFields included."""

"""Caches of controllers, which contain a controller's own writes at once."""

from memkube.controllers.framework.informer import Informer
from memkube.controllers.framework.known_objects import KnownObjects
from memkube.registry.objects.stored import StoredObject


def revision(number: int, uid: str = "1") -> StoredObject:
    metadata = {"name": "a", "namespace": "n", "uid": uid, "resourceVersion": str(number)}
    return StoredObject({"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata})


def known_version(known: KnownObjects) -> str | None:
    found = known.get(("n", "a"))
    return None if found is None else found.resource_version


def test_an_own_write_is_known_before_the_informer_reports_it() -> None:
    informer = Informer()
    known = KnownObjects(informer)
    informer.put(revision(1))
    known.put(revision(5))
    assert known_version(known) == "5"
    informer.put(revision(3))
    assert known_version(known) == "5"
    informer.put(revision(7))
    assert known_version(known) == "7"


def test_handlers_are_told_each_revision_once() -> None:
    informer = Informer()
    known = KnownObjects(informer)
    told: list[list[str]] = []
    known.subscribe(lambda *each: told.append([stored.resource_version for stored in each if stored is not None]))
    informer.put(revision(1))
    known.put(revision(2))
    informer.put(revision(2))
    informer.remove(revision(2))
    assert told == [["1"], ["1", "2"], ["2"]]


def test_a_deleted_object_is_forgotten_even_if_it_was_written_later() -> None:
    informer = Informer()
    known = KnownObjects(informer)
    informer.put(revision(1))
    known.put(revision(2))
    informer.remove(revision(1))
    assert known_version(known) is None


def test_a_later_object_of_the_same_name_stays_when_the_earlier_one_is_deleted() -> None:
    informer = Informer()
    known = KnownObjects(informer)
    informer.put(revision(1))
    known.put(revision(4, uid="2"))
    informer.remove(revision(1))
    assert known_version(known) == "4"

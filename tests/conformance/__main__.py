"""Writes the list of recordings that do not agree: ``python -m tests.conformance``."""

from tests.conformance.recordings import NOT_YET, load_cases, replay

if __name__ == "__main__":
    found = replay(load_cases())
    NOT_YET.write_text("".join(f"{case}\n" for case in sorted(found) if found[case]))

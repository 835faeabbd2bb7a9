"""``python -m memkube``."""

from memkube.cli import main

if __name__ == "__main__":
    main()

"""RuntimeClasses: container runtimes that pods can choose."""

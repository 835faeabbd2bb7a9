"""RuntimeClasses: what containers are run by."""

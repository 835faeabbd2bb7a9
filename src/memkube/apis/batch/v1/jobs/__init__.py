"""Jobs: pods that run to completion."""

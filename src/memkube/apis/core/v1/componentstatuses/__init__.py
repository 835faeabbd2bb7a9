"""ComponentStatuses: health of the control plane's components (deprecated)."""

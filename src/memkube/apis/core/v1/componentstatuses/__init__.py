"""ComponentStatuses: how the parts of the control plane do."""

"""The quota controller, which computes the status of ResourceQuotas (``pkg/controller/resourcequota``)."""

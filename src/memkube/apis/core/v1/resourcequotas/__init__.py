"""ResourceQuotas: how much a namespace may hold."""

"""ResourceQuotas: limits on the total resource use of a namespace."""

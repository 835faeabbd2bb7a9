"""ServiceCIDRs: ranges from which cluster IPs are allocated."""

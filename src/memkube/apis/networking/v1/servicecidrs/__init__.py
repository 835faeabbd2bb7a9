"""ServiceCIDRs: where the addresses of services come from."""

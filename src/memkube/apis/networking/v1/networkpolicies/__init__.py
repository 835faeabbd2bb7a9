"""NetworkPolicies: allowed network traffic of pods."""

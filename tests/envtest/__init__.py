"""Tests of the programs of `memkube envtest`, which start them as test frameworks do."""

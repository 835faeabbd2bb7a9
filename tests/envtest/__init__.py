"""The programs of `memkube envtest`, started as test frameworks start them."""

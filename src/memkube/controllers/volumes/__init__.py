"""Controllers of PersistentVolumes and their claims (``pkg/controller/volume``), and a simulated provisioner.

The scheduler's plugins use the rules in `binding_rules`, too. Controllers in this package must not access files of the
machine.
"""

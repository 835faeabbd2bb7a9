"""Controllers of persistent volumes and their claims (``pkg/controller/volume``), and a simulated provisioner.

The scheduler's plugins use the rules in `binding_rules`, too. No controller here may touch files of the machine.
"""

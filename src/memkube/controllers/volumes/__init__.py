"""Controllers of persistent volumes and their claims (``pkg/controller/volume``), and a simulated provisioner.

The scheduler's plugins share the rules of `binding_rules`. No controller here may touch files of the machine.
"""

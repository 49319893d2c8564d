"""What PyTorch's namespace has around tensors and their operations: creation, conversions, printing, randomness.

``contents`` knows which module publishes which name, so that each loads when it is first used; ``absent`` answers for
the names that are missing.  Modules here import the engine and, where they need one, operations; nothing above.
"""

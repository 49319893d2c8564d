"""The rest of PyTorch's namespace around tensors and operations: creation, conversion, printing, random numbers.

``contents`` lists which module publishes which name, so that modules load on first use; ``absent`` has the errors for
missing names.  Modules here import the engine and operations, and nothing above them.
"""

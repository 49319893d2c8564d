"""The table: every operation's NumPy forward beside its derivative formulas, a module for each family.

A formula is a lambda from the gradient of the output, and whatever else its parameters name, to the
gradient of one input.  What it names is what a node saves.  Which module has which operation says ``contents``.
Modules here import the engine, each other and, for casts and the list of names, torch_api.
"""

"""The table: each operation's forward in NumPy with its derivative formulas, a module for each family.

A formula is a lambda that computes the gradient of one input from the gradient of the output and the other values
that its parameters name; a node saves those values.  ``contents`` lists which module has which operation.
Modules here import the engine, each other and, for casts and the list of names, torch_api.
"""

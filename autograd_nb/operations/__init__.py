"""The table: each operation's forward in NumPy with its derivative formulas, a module for each family.

A formula is a lambda that computes the gradient of one input from the gradient of the output and the other values
that its parameters name; a node saves those values.  ``contents`` lists which module has which operation.
Modules here import the engine and each other.  rows.py has the ways to add an operation, array_functions.py what
formulas call on arrays.
"""

"""The tests: a folder for each folder of the package, and what they share in tools.

Programs that are recorded or written at random have their own: behaviours, data and golden, fuzz, benchmarks.
"""

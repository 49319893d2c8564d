"""Random programs on both libraries: their parts (grammar, functions) and their comparison (running).

    pytest tests/fuzz --fuzz 50000 --fuzz-seed 1       runs that many more
"""

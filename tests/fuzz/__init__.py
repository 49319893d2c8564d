"""Random programs on both libraries: what they are made of (grammar, functions), how they are compared (running).

    pytest tests/fuzz --fuzz 50000 --fuzz-seed 1       runs that many more
"""

"""A learner's input: programs, which run within limits, and answers, which are read as numbers."""

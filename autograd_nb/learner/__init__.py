"""A learner's input: programs, run within limits, and answers, read as the numbers that they mean."""

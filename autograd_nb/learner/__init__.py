"""What a learner typed: programs read and run within limits, answers read as the numbers that they mean."""

"""What else PyTorch's namespace has around tensors and their operations: creation, conversions, printing, randomness."""

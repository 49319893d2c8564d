"""The engine: everything that happens in ``y = x**3; y.backward()``."""

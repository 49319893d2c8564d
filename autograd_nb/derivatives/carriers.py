"""The functions that formulas use, on arrays.

A formula that says ``grad * cos(self)`` finds ``cos`` here when it runs on arrays.  When it runs on tensors
(create_graph) the same name means the operation of that name, so every name here is also one of the table.
"""

import numpy as np

exp, log, sin, cos, tanh, sqrt = np.exp, np.log, np.sin, np.cos, np.tanh, np.sqrt

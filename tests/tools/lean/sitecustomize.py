"""With this folder on its path Python starts without two large modules that the tests do not use.

They are the debugger of a kernel, a third of its start, and jsonschema's grammar of addresses, a third of pytest's.
"""

import sys

sys.modules |= dict.fromkeys(("debugpy", "rfc3987_syntax"))

# %% [markdown]
# # 90 Playground
#
# Three cells to start from: paste, step, draw. Change them as you like, or copy them anywhere: this notebook has no exercises, and asks nothing of you.

# %% [markdown]
# ## Paste
#
# Put a PyTorch program in place of what stands from `import torch` on, with its own imports: after `as_torch()`, `import torch` means our engine, until the kernel restarts. What it prints, warns and raises here is what PyTorch would.

# %%
import autograd_nb

autograd_nb.as_torch()
autograd_nb.course.tracebacks("short")  # errors end at your own line; "full" shows all of them

import torch

x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)

# %% [markdown]
# ## Step
#
# Any call of backward, without its brackets. `retain_graph=True` lets you run the cell again; `x.grad` then grows each time, as [04 Accumulation](04_accumulation.ipynb) explains.

# %%
torch.step(z.backward, retain_graph=True)

# %% [markdown]
# ## Draw
#
# The graph behind a tensor, with values, gradients and what the functions saved.

# %%
torch.draw(z)

# %% [markdown]
# ## Link
#
# A widget's inputs are *traits*: you can read them (`bench.x`), set them (`bench.x = 2.0`) and link them to any other control, here to a curve whose point can be dragged.

# %%
from autograd_nb import widgets
from traitlets import link

bench = torch.bench("log(x**3)", x=5.0)
curve = widgets.tangent("log(x**3)", x=5.0)
link((bench, "x"), (curve, "x"))
bench

# %%
curve

# %% [markdown]
# ## Where to look
#
# A word that you don't know: [91 Glossary](91_glossary.ipynb). An error that you don't understand: [92 Error clinic](92_error_clinic.ipynb). A bench with sliders and switches, as in [04 Accumulation](04_accumulation.ipynb#Try-it): `torch.bench("log(x**3)", x=5.0)`.

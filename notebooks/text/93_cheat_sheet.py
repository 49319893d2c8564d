# %% [markdown]
# # 93 Cheat sheet
#
# The summary of every chapter, on one page. To print it, save the page and open it in a browser.

# %%
from autograd_nb import course

course.cheat_sheet()

# %% [markdown]
# ```python
# course.cheat_sheet().save("cheat_sheet.html")
# ```

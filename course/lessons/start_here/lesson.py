# %% [markdown]
# # Start here
#
# *Lesson 0 · about 3 minutes*
#
# PyTorch computes gradients on their way from the loss back to your weights. A **hook** is a
# function of yours that PyTorch calls on that way: it can look at a gradient, and it can change it.
# In this course you turn a slider, a real backward runs, and you see what changes.
#
# ## The course
#
# Run a cell with **Shift + Enter**. Run the one below. It shows the lessons, what you have passed,
# and where to go on; each name is a link. Come back here whenever you want to see how far you are.

# %% tags=["course-map"]
from course import course_map

course_map()

# %% [markdown]
# Is this your first time? Then read on: this page takes 3 minutes.

# %%
import torch

from course import lab, predict

print("PyTorch", torch.__version__)

# %% [markdown]
# ## Your first slider
#
# `y = w * x`. The gradient of `y` with respect to `w` is `x`. A hook on `w` multiplies that
# gradient before PyTorch stores it in `w.grad`.
#
# Move the sliders, with the mouse or with the arrow keys. Each move runs forward and backward
# again. What does `w.grad` show when the hook multiplies by 0?


# %%
def product(w, x):
    y = w * x
    return y


lab(product, w=3.0, x=2.0, hooks={"w": "scale 5"}, controls="values, hooks")

# %% [markdown]
# If you see no sliders above, the cell has not run yet, or no Python is running behind the page
# (the *kernel*). Then you see a picture that does not move. In JupyterLab choose **Kernel →
# Restart Kernel** and run the cells again.
#
# ## Say it first, then run it
#
# You learn more when you choose an answer *before* you see it. Nobody marks these questions.

# %%
guess = predict(
    "In the code below, what will w.grad be?",
    ["0.0", "2.0", "10.0"],
    why="The gradient of w * x with respect to w is x = 2. The hook gives back 5 times that.",
)

# %%
w = torch.tensor(3.0, requires_grad=True)
x = torch.tensor(2.0)
w.register_hook(lambda grad: 5 * grad)
(w * x).backward()
guess.reveal(w.grad)

# %% [markdown]
# ## Exercises check themselves
#
# Each lesson has a second notebook, `exercises.ipynb`, beside it. Below each answer cell is a cell
# that checks your answer at once. It says one of four things:
#
# | | |
# |---|---|
# | ✓ **passed** | the visible cases are right; hidden cases run when the notebook is marked |
# | ○ **not attempted** | there is no answer yet |
# | ✗ **wrong** | it says which misconception fits what your code did |
# | ⚠ **raised** | your code stopped with an error; it shows the line |
#
# - `hint("name")` gives a hint. Each call gives a stronger one.
# - `solution("name")` opens when the check has passed, or after three tries.
# - `reset("name")`, as the only line of an answer cell, puts that cell back to its first state.
#
# What passes is kept beside the notebooks, in the small file `.progress.json`, and shown in the
# map above, also tomorrow. To forget it, run `from course import reset_progress` and then
# `reset_progress()`, or `reset_progress("leaf_tensors")` for one lesson. Your answers stay.
#
# The **Validate** button in the toolbar runs your whole notebook from the top in a fresh kernel, as
# the marking does. Press it before you hand in a notebook: it finds answers that only worked
# because of a cell that you ran earlier and then deleted. Hidden cases are not in your notebook;
# they decide the marks when an instructor runs nbgrader. The button **Mark my notebook** at the end of
# each exercises notebook runs them for you.
#
# ## When something does not work
#
# - Run **Kernel → Restart Kernel and Run All Cells**.
# - In a terminal, `python -m course doctor` says what is installed and how to mend what is not.
#
# ## Go on
#
# **[Lesson 1: Leaf and non-leaf tensors](../01_leaf_tensors/lesson.ipynb)** asks: after
# `backward()`, why do some tensors have a gradient and others have none?

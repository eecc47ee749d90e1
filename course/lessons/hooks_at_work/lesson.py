# %% [markdown]
# # Hooks at work
#
# *Lesson 6 · about 40 minutes*
#
# A small network looks at pictures. On each one is a cross or a ring. After training it names all
# of them right: 64 out of 64. It also names 200 new pictures right that were drawn in the same way.
# Would you trust it?
#
# You cannot see from the numbers **what the network looks at**. A hook can show it. This lesson is
# about such instruments. You know all the parts by now: tensor hooks, module hooks, hooks after
# accumulation. Here they do real work:
#
# - see where a network looks (Grad-CAM);
# - measure gradients and activations, layer by layer;
# - keep one bad batch from spoiling a training (clipping);
# - make a network unlearn something (gradient reversal);
# - find the operation that makes NaN;
# - take the optimizer's step *inside* backward.

# %%
import warnings
from contextlib import ExitStack, contextmanager

import torch
from torch import nn

from course import grad_norms, predict, trace
from course.lessons.hooks_at_work.cam_lab import cam_lab, place_in_words
from course.lessons.hooks_at_work.clip_lab import clip_lab
from course.lessons.hooks_at_work.pictures import draw, share_right, train

torch.set_num_threads(1)  # these networks are so small that more threads only wait for each other

# %% [markdown]
# ## A network that is always right
#
# The pictures are drawn by a few lines of Python (`pictures.py`, beside this lesson's sources). The
# network has three convolutions, then the mean of each map, then one linear layer.

# %%
x, y, _ = draw(64, seed=1, mark=True)
net = train(x, y)
new_x, new_y, _ = draw(200, seed=3, mark=True)
print(f"right on the 64 pictures of the training: {share_right(net, x, y):.0%}")
print(f"right on 200 new pictures:                {share_right(net, new_x, new_y):.0%}")

# %% [markdown]
# Somebody drew these pictures with a small bright mark in the upper left corner of every cross, and
# of no ring. Nobody told the network about it. Now 200 pictures **without** the mark:

# %%
trust = predict(
    "Half of the 200 pictures are crosses, without the mark now. How many of the 200 does the "
    "network name right?",
    ["about all of them", "about three quarters", "about half"],
    why="The network learned one thing: mark or no mark. Without a mark it says ring, and half of "
    "the pictures are rings.",
)
trust

# %%
plain_x, plain_y, _ = draw(200, seed=2, mark=False)
right = share_right(net, plain_x, plain_y)
nearest = min((1.0, 0.75, 0.5), key=lambda share: abs(share - right))
answer = {1.0: "about all of them", 0.75: "about three quarters", 0.5: "about half"}[nearest]
print("right on pictures without the mark:", answer)
trust.reveal(answer)

# %% [markdown]
# ## Grad-CAM: where does it look?
#
# We found the fault because we knew where to search. Grad-CAM finds it without that. The idea: take
# the maps that a layer computes, and the gradient of one class's score with respect to them. A map
# whose gradient is positive speaks **for** the class. Add the maps, each with its mean gradient as
# weight. Where the sum is positive, that place speaks for the class.
#
# Two hooks are enough: a forward hook for the maps and, on the maps, a tensor hook for the gradient.


# %%
def heat(net, layer, picture, of):
    kept = {}

    def keep(module, args, output):
        kept["maps"] = output.detach().clone()
        output.register_hook(lambda grad: kept.update(gradient=grad.clone()))

    with net.get_submodule(layer).register_forward_hook(keep):
        score = net(picture.unsqueeze(0))[0, of]
    torch.autograd.grad(score, list(net.parameters()), allow_unused=True)
    weights = kept["gradient"].mean((2, 3), keepdim=True)
    return (weights * kept["maps"]).sum(1).clamp(min=0)[0]


def where_it_looks(net, mark):
    x, y, places = draw(100, seed=5, mark=mark)
    words = [
        place_in_words(heat(net, "relu3", picture, of=0), place.tolist(), mark)
        for picture, label, place in zip(x, y, places, strict=True)
        if label == 0
    ]
    return [words.count(f"hottest on the {part}") for part in ("mark", "shape")]


on_mark, on_shape = where_it_looks(net, mark=True)
print("50 crosses with the mark: hottest on the mark more than 45 times:", on_mark > 45)
print("                          hottest on the cross:", on_shape, "times")

# %% [markdown]
# Look at three lines of `heat`.
#
# - `clone()`: a layer that works in place would change the kept maps (lesson 4).
# - The tensor hook hangs on `output` itself, not on a copy: it must lie on the way of the gradient.
# - `torch.autograd.grad` runs the hooks (lesson 3), and it writes no `.grad`. An instrument should
#   leave nothing behind in the network.
#
# ## Turn the sliders
#
# Each move runs a real forward and backward on this network, with hooks on the layer you choose.
#
# 1. Go through the pictures. Where is the heat for *cross* on a cross? And on a ring?
# 2. Switch the mark off. Where does the heat go, and what does the network say now?
# 3. Move the layer from 6 to 1. How does the heat change its shape? Early layers see small parts.
# 4. Ask what speaks for *ring*.

# %%
cam_lab(net)

# %% [markdown]
# The cure is in the data, not in the network: without the mark, the network learns the shapes.

# %%
honest_x, honest_y, _ = draw(64, seed=1, mark=False)
honest = train(honest_x, honest_y)
print(
    f"trained without the mark, right on new pictures: {share_right(honest, plain_x, plain_y):.0%}"
)

# %% [markdown]
# ## Measure every layer
#
# Hooks are good for keeping a record, because a number is all that they have to keep. Here is a
# record of three numbers for each layer: how many of the outputs are exactly zero, how far the
# outputs spread, and the norm of the gradient that arrives. One layer of this network is ill.


# %%
@contextmanager
def statistics(net):
    """Record zeros, spread and gradient norm of the output of each module that has no children."""
    rows = {}

    def watch(path):
        def hook(module, args, output):
            rows[path] = row = {
                "zeros": (output == 0).float().mean().item(),
                "spread": output.detach().std().item(),
            }
            output.register_hook(lambda grad: row.update(gradient=grad.norm().item()))

        return hook

    with ExitStack() as hooks:
        for path, module in net.named_modules():
            if not list(module.children()):
                hooks.enter_context(module.register_forward_hook(watch(path)))
        yield rows


torch.manual_seed(0)
patient = nn.Sequential()
for number in (1, 2, 3):
    patient.add_module(f"fc{number}", nn.Linear(8, 8))
    patient.add_module(f"relu{number}", nn.ReLU())
with torch.no_grad():
    patient.fc2.bias.fill_(-20.0)

with statistics(patient) as rows:
    patient(torch.randn(64, 8)).square().sum().backward()
for path, row in rows.items():
    dead = "dead" if row["zeros"] == 1 else "alive"
    blocked = "no gradient" if row["gradient"] == 0 else "a gradient"
    print(f"{path}: {dead:5} | {blocked}")

# %% [markdown]
# `relu2` is dead: all of its outputs are zero, for every input. No gradient comes through it. So
# `fc2`, whose bias is the cause, and all layers before it can never learn. Read the record from
# the end: the last layer that gets no gradient is where to search.
#
# The same for the size of gradients over depth. `trace` runs one backward and writes all gradients
# down; `grad_norms` draws them. This network has sigmoids, and the gradient vanishes on its way back.

# %%
torch.manual_seed(0)
deep = nn.Sequential()
for number in range(1, 9):
    deep.add_module(f"fc{number}", nn.Linear(8, 8))
    deep.add_module(f"act{number}", nn.Sigmoid())
record = trace(deep(torch.randn(16, 8)).square().sum(), deep)
grad_norms(record, leaves=True)

# %%
norms = {path: p.grad.norm().item() for path, p in deep.named_parameters() if "weight" in path}
print(
    "gradient of fc1 more than 1000 times smaller than that of fc8:",
    norms["fc1.weight"] * 1000 < norms["fc8.weight"],
)

# %% [markdown]
# ## Clip: one bad batch, and the training is lost
#
# A network learns a smooth function. In every 15th batch one row is damaged: its numbers are 100
# times too large. A large gradient arrives, the step goes far away, and that was it.
#
# There are two common ways to clip. **Each tensor for itself**: a hook on each parameter scales its
# gradient down when its norm is above the threshold. **All together**: `clip_grad_norm_` scales down
# when the norm over all parameters is above it.
#
# 1. *No clipping*: at which step is the loss lost?
# 2. *All together*: find a threshold that is too small, one that is too large, and one that is good.
# 3. *Each tensor*: is the same threshold good? With the same number, which one cuts more?

# %%
clip_lab(kind="total", threshold=5.0)

# %% [markdown]
# A clipped gradient is shorter. Does the step still point in the direction of the whole gradient, the
# one of all tensors? The cosine says it: 1 means the same direction.

# %%
direction = predict(
    "The gradients of two tensors are [30, 40] and [0.3, 0.4]. After clipping to the norm 1, which "
    "way keeps the direction of all four numbers together?",
    ["each tensor for itself", "all together", "both"],
    why="All together multiplies all numbers by one factor. Each tensor for itself makes the first "
    "one 50 times smaller and leaves the second one.",
)
direction


# %%
def gradients(clip):
    u, v = (torch.zeros(2, requires_grad=True) for _ in range(2))
    handles = []
    if clip == "each tensor for itself":
        for t in (u, v):
            handles.append(t.register_hook(lambda grad: grad * (1 / grad.norm().clamp(min=1))))
    (u @ torch.tensor([30.0, 40.0]) + v @ torch.tensor([0.3, 0.4])).backward()
    if clip == "all together":
        nn.utils.clip_grad_norm_([u, v], 1.0)
    for handle in handles:
        handle.remove()
    return torch.cat([u.grad, v.grad])


true = gradients("no clipping")
kept = []
for clip in ("each tensor for itself", "all together"):
    cosine = torch.cosine_similarity(true, gradients(clip), dim=0).item()
    print(f"{clip:22}: cosine with the true gradient {cosine:.3f}")
    if cosine > 0.9999:
        kept.append(clip)
direction.reveal(kept[0] if len(kept) == 1 else "both")

# %% [markdown]
# `clip_grad_norm_` scales all gradients by the same factor. A hook sees one gradient at a time. It
# cannot know the norm of all of them, so it cannot do the same. What it can do: act before the
# gradient is stored, and in the middle of a network, where there is no parameter.
#
# ## Turn a gradient around
#
# Back to the shortcut. Sometimes the data cannot be drawn again. Here two cameras took the
# pictures, and in 90 of 100 the camera goes with the class. The input has two numbers: the first
# tells the class (with noise), the second tells the camera. One feature is computed from both,
# `feature = encoder(x)`. One head reads the class from it, another head reads the camera.
#
# A hook on the feature, on the way to the camera's head only, multiplies the gradient by a negative
# factor. The head still learns to read the camera. The encoder gets the opposite: it learns to
# **hide** the camera. Then new data come in, where camera and class have nothing to do with each
# other.


# %%
def two_cameras(count, together):
    strength = torch.randn(count, 1)
    classes = (strength > 0).float()
    cameras = torch.where(torch.rand(count, 1) < together, classes, 1 - classes)
    return torch.cat([strength + 0.5 * torch.randn(count, 1), 2 * cameras - 1], 1), classes, cameras


def train_encoder(factor):
    torch.manual_seed(0)
    x, classes, cameras = two_cameras(512, together=0.9)
    new_x, new_classes, _ = two_cameras(1000, together=0.5)
    encoder, class_head, camera_head = nn.Linear(2, 1), nn.Linear(1, 1), nn.Linear(1, 1)
    parts = nn.ModuleList([encoder, class_head, camera_head])
    optimizer = torch.optim.SGD(parts.parameters(), lr=0.3)
    loss = nn.BCEWithLogitsLoss()
    for _ in range(200):
        optimizer.zero_grad()
        feature = encoder(x)
        to_camera = feature.view_as(feature)
        to_camera.register_hook(lambda grad: grad * factor)
        (loss(class_head(feature), classes) + loss(camera_head(to_camera), cameras)).backward()
        optimizer.step()
    with torch.no_grad():
        said = (class_head(encoder(new_x)) > 0).float()
    return (said == new_classes).float().mean().item()


shares = {factor: train_encoder(factor) for factor in (1.0, 0.0, -0.5)}
for factor, share in shares.items():
    print(f"factor {factor:4}: right on new data {share:.0%}")
print("hiding the camera is better by more than 4 of 100:", shares[-0.5] > shares[0.0] + 0.04)

# %% [markdown]
# With the factor 1 the encoder works for both heads. With 0, the camera's head cannot teach it, but
# the encoder still finds the shortcut by itself. With −0.5, it is pushed away from it. Try −1 as
# well: too much of it does harm to the class, too.
#
# `to_camera` is a view: another tensor object with the same numbers. The hook hangs on it alone, so
# the gradient from the class's head is not turned. With a hook on `feature` itself, both would be.
#
# ## Backward through a choice
#
# `where` chooses between two values. For x = 0 it chooses the 0, not the root.

# %%
root = predict(
    "y = where(x > 0, sqrt(x), 0). For x = 0, y is 0. What is x.grad after backward?",
    ["0.0", "nan", "inf"],
    why="Backward goes through both branches. The gradient into sqrt is 0, its derivative at 0 is "
    "infinite, and 0 times infinity is NaN.",
)
root

# %%
x = torch.tensor(0.0, requires_grad=True)
y = torch.where(x > 0, x.sqrt(), torch.zeros(()))
y.backward()
print("y", y.item(), "| x.grad", x.grad.item())
root.reveal("nan" if x.grad.isnan() else str(x.grad.item()))

# %% [markdown]
# ## Find the operation that makes NaN
#
# In a large model you see NaN at the end and do not know where it began. Put a hook on **every
# node** of the graph. A node hook gets what came in and what the node made of it. The node that got
# finite numbers and made others is the one.


# %%
def all_nodes(t):
    seen, todo = set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [following for following, _ in node.next_functions]
    return seen


def finite(grads):
    return all(bool(grad.isfinite().all()) for grad in grads if grad is not None)


@contextmanager
def blame(t):
    """Name the nodes whose backward makes NaN or infinity out of finite gradients."""
    guilty = []
    with ExitStack() as hooks:
        for node in all_nodes(t):

            def check(made, got, node=node):
                if finite(got) and not finite(made):
                    guilty.append(node.name())

            hooks.enter_context(node.register_hook(check))
        yield guilty


x = torch.tensor([4.0, 0.0, 9.0], requires_grad=True)
scale = torch.tensor(3.0, requires_grad=True)
loss = (torch.where(x > 0, x.sqrt(), torch.zeros(())) * scale).exp().log().sum()
with blame(loss) as guilty:
    loss.backward()
print("the first to make a NaN:", guilty)

# %% [markdown]
# For NaN that is made in **forward**, module hooks are enough: the first module whose output is not
# finite while its input is.


# %%
class Logarithm(nn.Module):
    def forward(self, x):
        return x.log()


sick = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), Logarithm(), nn.Linear(2, 2))
with torch.no_grad():
    sick[0].bias.fill_(-5.0)
first = []
with ExitStack() as hooks:
    for path, module in sick.named_children():

        def check(module, args, output, path=path):
            if finite(args) and not finite([output]):
                first.append(f"{path} ({type(module).__name__})")

        hooks.enter_context(module.register_forward_hook(check))
    sick(torch.ones(1, 2))
print("made a number that is not finite:", first)

# %% [markdown]
# PyTorch has an instrument of its own: `torch.autograd.detect_anomaly()`. It stops backward at the
# node that makes a NaN, and it knows the line of forward. It is slow, and it does not stop at an
# infinity.

# %%
x = torch.tensor(0.0, requires_grad=True)
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        with torch.autograd.detect_anomaly():
            torch.where(x > 0, x.sqrt(), torch.zeros(())).backward()
    except RuntimeError as error:
        print("RuntimeError:", error)

# %% [markdown]
# And the cure: keep the bad value **out of** `sqrt`, not only out of the result.

# %%
x = torch.tensor(0.0, requires_grad=True)
safe = torch.where(x > 0, x, torch.ones(()))
torch.where(x > 0, safe.sqrt(), torch.zeros(())).backward()
print("x.grad", x.grad.item())

# %% [markdown]
# ## Take the step inside backward
#
# In the usual training, backward first fills all `.grad`. Then the optimizer reads them. At that
# moment there is one gradient for each parameter in memory: as much as the whole model. A
# *post-accumulate hook* (lesson 3) on each parameter can take the step for it inside backward and set
# its `.grad` to None.

# %%
memory = predict(
    "A model has 10 layers of the same size. How many gradients are in memory at most, if each "
    "parameter takes its step in a post-accumulate hook?",
    ["one at a time", "half of them", "all of them"],
    why="Each hook is called when one gradient was stored. It sets .grad to None before backward "
    "goes on to the next parameter.",
)
memory


# %%
def make_layers():
    torch.manual_seed(0)
    return nn.Sequential(*(nn.Linear(32, 32, bias=False) for _ in range(10)))


def gradients_alive(net):
    return sum(p.grad is not None for p in net.parameters())


batch = torch.randn(8, 32, generator=torch.Generator().manual_seed(1))
most = {}

usual = make_layers()
usual(batch).square().sum().backward()
most["the usual step"] = gradients_alive(usual)
with torch.no_grad():
    for p in usual.parameters():
        p -= 0.01 * p.grad

fused, counts = make_layers(), []


def step(p):
    counts.append(gradients_alive(fused))
    with torch.no_grad():
        p -= 0.01 * p.grad
    p.grad = None


handles = [p.register_post_accumulate_grad_hook(step) for p in fused.parameters()]
fused(batch).square().sum().backward()
for handle in handles:
    handle.remove()
most["the step inside backward"] = max(counts)

size = 32 * 32 * 4
for words, count in most.items():
    print(f"{words}: at most {count} gradients at once, {count * size} bytes")
same = all(torch.equal(p, q) for p, q in zip(usual.parameters(), fused.parameters(), strict=True))
print("the same weights afterwards:", same)
memory.reveal("one at a time" if max(counts) == 1 else f"{max(counts)} of them")

# %% [markdown]
# Such a hook is called when the gradient of **one** parameter is ready, and lets it go before the
# next one comes. The weights are the same to the last bit. The price: nobody can look at all
# gradients together any more. `clip_grad_norm_` is not possible, and neither is the sum over several
# backward calls.
#
# ## Traps
#
# **`weight.grad` inside a module's backward hook.** The hook is called when the gradient of the
# *inputs* is ready. The gradient of the weight may not be stored yet, or it is the one of the last
# step. Hang the hook on the parameter.

# %%
layer = nn.Linear(2, 2)
seen = []
with (
    layer.register_full_backward_hook(lambda m, gis, gos: seen.append(m.weight.grad is None)),
    warnings.catch_warnings(),
):
    warnings.simplefilter("ignore")
    layer(torch.ones(1, 2)).sum().backward()
print("weight.grad is None in the backward hook of a first layer:", seen[0])

# %% [markdown]
# **A record of tensors instead of numbers.** `kept.append(output)` keeps the graph of every step.
# Keep `output.detach().mean().item()`, or a detached copy.
#
# **Clipping in a hook, with several backward calls for one step.** The hook clips each part. The
# sum of clipped parts is not the clipped sum (lesson 3 shows the numbers). Clip once, before the
# step.
#
# **The step inside backward, when a parameter is needed again in the same backward.** The hook
# changes the weight in place. If the same graph is used for a second backward, PyTorch refuses:

# %%
w = torch.tensor([2.0], requires_grad=True)


def step_at_once(p):
    with torch.no_grad():
        p -= 0.1 * p.grad
    p.grad = None


with w.register_post_accumulate_grad_hook(step_at_once):
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    try:
        loss.backward()
    except RuntimeError as error:
        print("RuntimeError:", str(error).split(":")[0])

# %% [markdown]
# **An instrument that changes what it measures.** A hook that gives something back, a network that
# stays in `eval()`, a `.grad` that is left behind. After an instrument, check that the network is
# as it was:

# %%
before = [p.detach().clone() for p in net.parameters()]
net.zero_grad()
heat(net, "relu2", plain_x[0], of=0)
unchanged = all(torch.equal(p, q) for p, q in zip(net.parameters(), before, strict=True))
print("weights unchanged:", unchanged, "| no .grad:", all(p.grad is None for p in net.parameters()))
print("hooks left:", sum(len(module._forward_hooks) for module in net.modules()))

# %% [markdown]
# More in the field guide:
# [In the hook, x.grad is still the old one](../field_guide.ipynb#In-the-hook,-x.grad-is-still-the-old-one),
# [Kept outputs keep the graph in memory](../field_guide.ipynb#Kept-outputs-keep-the-graph-in-memory),
# [The kept output changes after the hook](../field_guide.ipynb#The-kept-output-changes-after-the-hook),
# [A clip hook clips each micro-batch alone](../field_guide.ipynb#A-clip-hook-clips-each-micro-batch-alone),
# [A step between two backwards on one graph](../field_guide.ipynb#A-step-between-two-backwards-on-one-graph),
# [A hook that only records changes the gradient](../field_guide.ipynb#A-hook-that-only-records-changes-the-gradient),
# [A forward hook replaces the output by accident](../field_guide.ipynb#A-forward-hook-replaces-the-output-by-accident).
#
# ## What to do instead
#
# | you want | use |
# |---|---|
# | the norm of all gradients, once per step | no hook: `p.grad.norm()` after backward |
# | clipping by the norm of all | no hook: `clip_grad_norm_` before the step |
# | a NaN in backward, while you search for a fault | `torch.autograd.detect_anomaly()` |
# | the gradient of one intermediate, once | `torch.autograd.grad` or `retain_grad()` (lesson 2) |
# | a gradient turned, scaled or stopped on one way only | a hook on a view, `t.view_as(t)` |
# | features, statistics, a heat map | module hooks in a context manager |
# | less memory for gradients | post-accumulate hooks |
#
# ## Go on
#
# - **[Exercises for this lesson](exercises.ipynb)**: eight, from a choice of tools to Grad-CAM.
# - Back: [The Linear backward-hook quirk](../05_linear_quirk/lesson.ipynb)
#
# You have come to the end of the lessons. A good next step: take a network of your own, put
# `statistics` around one training step, and read the record from the end.

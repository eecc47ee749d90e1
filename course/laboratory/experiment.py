"""One experiment: a function, its inputs, and settings under which it is run for real.

`Experiment.run(settings)` builds fresh leaves and fresh copies of the modules, registers the hooks,
runs forward and backward under `course.trace`, and measures the derivatives without hooks. It
keeps what PyTorch printed, warned of and raised: these are part of what a lab shows.
"""

import contextlib
import copy
import io
from dataclasses import dataclass, field

import torch

from course.laboratory.finite_difference import MOST, derivatives
from course.laboratory.forward import Tensors, run_forward, run_to_root
from course.laboratory.hook import MODULE_PLACES
from course.laboratory.settings import Settings
from course.record import Record
from course.tracing import trace

SEED = 0  # every run starts from it: a dropout must not look like the effect of a slider


@dataclass(frozen=True)
class Outcome:
    """What one run gave."""

    settings: Settings
    record: Record
    tensors: Tensors  # what forward made, the root last; {} when forward raised
    derivatives: dict  # name -> nested lists, by finite differences and without hooks
    printed: str
    random: bool  # forward drew random numbers
    error: BaseException | None


@dataclass
class Experiment:
    """A function and those of its inputs that no control changes."""

    function: object
    start: Settings
    modules: dict = field(default_factory=dict)  # argument -> module
    fixed: dict = field(default_factory=dict)  # argument -> a large tensor, or anything else
    known: Tensors = field(default_factory=Tensors)  # of the last run whose forward went well

    def run(self, settings: Settings) -> Outcome:
        """Run it once. What the function, a hook or PyTorch raises becomes part of the outcome."""
        play, printed = Play(self, settings), io.StringIO()
        with torch.random.fork_rng(devices=[]), contextlib.redirect_stdout(printed):
            torch.default_generator.manual_seed(SEED)
            state = torch.get_rng_state()
            record = trace(play, play.named, play.modules, catch=True)
            random = not torch.equal(state, torch.get_rng_state())
            self.known = play.tensors or self.known
            with contextlib.redirect_stdout(io.StringIO()):
                slopes = self.slopes(play, random)
        return Outcome(
            settings, record, play.tensors, slopes, printed.getvalue(), random, play.error
        )

    def forward(self, modules, inputs, run=run_forward):
        """Run forward on copies of the modules and on the inputs that belong to a run."""
        if isinstance(self.function, torch.nn.Module):
            return run(next(iter(modules.values())), inputs)
        return run(self.function, {**modules, **inputs})

    def slopes(self, play, random):
        """Derivatives of the loss without hooks; {} where forward cannot be run in float64."""
        modules = {name: copy.deepcopy(m).double() for name, m in self.modules.items()}
        weights = parameters_of(modules) if few(modules) else {}
        fixed = {n: x.double() if _is_float(x) else x for n, x in self.fixed.items()}

        def forward(leaves, run=run_forward):
            if random:
                torch.default_generator.manual_seed(SEED)
            for name, parameter in weights.items():
                parameter.copy_(leaves[name])
            inputs = {n: t for n, t in leaves.items() if n not in weights}
            return self.forward(modules, {**fixed, **inputs}, run)

        def root(leaves):
            return forward(leaves, run_to_root)

        leaves = {**play.leaves, **{n: p.detach().clone() for n, p in weights.items()}}
        inner = [name for name in play.tensors if name not in leaves]
        try:
            return derivatives(forward, leaves, inner, root) if play.tensors else {}
        except Exception:  # a constant in float32, say: a lab can do without this column
            return {}


class Play:
    """One run in the making: its fresh leaves and modules, and the tensors once they exist."""

    def __init__(self, experiment, settings):
        self.forward, self.settings = experiment.forward, settings
        self.modules = {name: copy.deepcopy(m) for name, m in experiment.modules.items()}
        self.leaves = {
            name: torch.tensor(value, dtype=torch.float32)
            for name, value in settings.values.items()
        }
        self.fixed = {
            name: x.detach().clone() if isinstance(x, torch.Tensor) else x
            for name, x in experiment.fixed.items()
        }
        self.parameters = parameters_of(self.modules)
        self.tensors = Tensors()
        self.error = None
        # trace reads these names while the run goes on: forward adds its tensors to them
        self.named = {n: x for n, x in self.inputs().items() if isinstance(x, torch.Tensor)}

    def __call__(self):
        try:
            self.run()
        except Exception as error:
            self.error = error
            raise
        return dict(self.tensors)

    def run(self):
        settings = self.settings
        for name, wanted in settings.requires_grad.items():
            self.find(name).requires_grad_(wanted)
        hooks = [(f"hook_{i}", hook) for i, hook in enumerate(settings.hooks, 1) if hook.active]
        for name, hook in hooks:
            if hook.at in MODULE_PLACES:
                hook.register(self.find(hook.on), name)
        self.tensors = self.forward(self.modules, self.inputs())
        self.named |= self.tensors
        for name, hook in hooks:
            if hook.at not in MODULE_PLACES:
                hook.register(self.find(hook.on), name)
        for name in settings.retain:
            self.find(name).retain_grad()
        root = self.tensors[self.tensors.root]
        gradient = None if settings.gradient is None else torch.tensor(settings.gradient)
        for call in range(settings.backwards, 0, -1):
            root.backward(gradient, retain_graph=settings.retain_graph and call > 1)

    def inputs(self):
        return {**self.fixed, **self.leaves}

    def find(self, name):
        """The tensor or module with this name: "c", "net", "net.fc1", "net.fc1.weight"."""
        for names in (self.tensors, self.leaves, self.fixed, self.modules, self.parameters):
            if name in names:
                return names[name]
        module, _, path = name.partition(".")
        if module in self.modules:
            with contextlib.suppress(AttributeError):
                return self.modules[module].get_submodule(path)
        known = [*self.leaves, *self.tensors, *self.modules]
        raise LookupError(f"This lab has nothing called {name!r}. It has: {', '.join(known)}.")


def _is_float(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def parameters_of(modules: dict) -> dict:
    """Parameters by their full names: {"net.fc.weight": ...}."""
    return {f"{name}.{path}": p for name, m in modules.items() for path, p in m.named_parameters()}


def few(modules) -> bool:
    """Whether there are so few parameters that each can be moved on its own."""
    return sum(p.numel() for p in parameters_of(modules).values()) <= 2 * MOST

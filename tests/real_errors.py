"""Pieces of code that make PyTorch raise, or warn of, what `explain` explains. Each is a function
that is called as it is; its docstring is a phrase that the explanation must hold."""

import copy
import io
import warnings

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.torch_version import TorchVersion
from torch.utils.checkpoint import checkpoint


def leaf(value=2.0):
    return torch.tensor(value, requires_grad=True)


def tensor_hook(hook, value=(1.0, 2.0)):
    x = leaf(value)
    x.register_hook(hook)
    (x * 1).sum().backward()


def node_hook(hook):
    y = leaf() * 2
    y.grad_fn.register_hook(hook)
    y.backward()


def layer_hook(register, hook, input_requires_grad=True, size=2):
    layer = torch.nn.Linear(size, size)
    getattr(layer, register)(hook)
    layer(torch.ones(1, size, requires_grad=input_requires_grad)).sum().backward()


def hook_returns_a_sum():
    """another shape"""
    tensor_hook(lambda grad: grad.sum())


def hook_returns_a_part():
    """another shape"""
    tensor_hook(lambda grad: grad[0])


def hook_object_returns_another_shape():
    """The hook `<unknown>` returned a gradient of another shape"""

    class Hook:
        def __call__(self, grad):
            return grad.sum()

    tensor_hook(Hook())


def full_hook_returns_another_shape():
    """called 'hook' in this message"""
    layer_hook("register_full_backward_hook", lambda m, gi, go: (gi[0].sum(),))


def full_hook_returns_a_tensor():
    """another shape"""
    layer_hook("register_full_backward_hook", lambda m, gi, go: gi[0].clone().mul_(2))


def hook_returns_doubles():
    """was given a torch.FloatTensor and returned a torch.DoubleTensor"""
    tensor_hook(lambda grad: grad.double())


def hook_returns_a_float():
    """returned an object of type float"""
    tensor_hook(lambda grad: grad.norm().item())


def hook_returns_an_array():
    """returned an object of type numpy.ndarray"""
    tensor_hook(lambda grad: grad.numpy())


def hook_returns_a_tuple():
    """returned an object of type tuple"""
    tensor_hook(lambda grad: (grad,))


def hook_returns_a_bool():
    """returned an object of type bool"""
    tensor_hook(lambda grad: True)


def node_hook_returns_a_tensor():
    """must return a tuple"""
    node_hook(lambda grad_inputs, grad_outputs: grad_inputs[0])


def node_hook_returns_too_few():
    """returned 1 gradients, but the graph node that it hangs on has 2"""
    node_hook(lambda grad_inputs, grad_outputs: (grad_inputs[0],))


def legacy_hook_returns_too_few():
    """returned 1 gradients, but the graph node that it hangs on has 3"""
    layer_hook("register_backward_hook", lambda m, gi, go: (gi[0],))


def full_hook_returns_too_many():
    """returned 2 gradients, but the layer has 1"""
    layer_hook("register_full_backward_hook", lambda m, gi, go: (gi[0], gi[0]))


def full_hook_returns_a_number():
    """that is not a tuple"""
    layer_hook("register_full_backward_hook", lambda m, gi, go: 1.0)


def full_pre_hook_returns_too_many():
    """pre-hook returned 2 gradients"""
    layer_hook("register_full_backward_pre_hook", lambda m, go: (go[0], go[0]))


def full_hook_returns_without_inputs():
    """no input of this layer requires a gradient"""
    layer_hook("register_full_backward_hook", lambda m, gi, go: (go[0],), False)


def post_accumulate_hook_returns():
    """runs after .grad is written"""
    x = leaf()
    x.register_post_accumulate_grad_hook(lambda x: x.grad)
    x.backward()


def keyword_pre_hook_returns_arguments_only():
    """It must return both"""
    layer = torch.nn.Identity()
    layer.register_forward_pre_hook(lambda m, args, kwargs: args, with_kwargs=True)
    layer(leaf())


def hook_on_data():
    """requires_grad=False"""
    torch.ones(2).register_hook(print)


def hook_under_no_grad():
    """no_grad"""
    with torch.no_grad():
        (leaf() * 2).register_hook(print)


def post_accumulate_hook_on_a_result():
    """the result of an operation"""
    (leaf() * 2).register_post_accumulate_grad_hook(print)


def both_kinds_of_backward_hooks():
    """backward hooks of both kinds"""
    layer = torch.nn.Linear(1, 1)
    layer.register_backward_hook(print)
    layer.register_full_backward_hook(print)


def tensor_hook_without_argument():
    """takes 0 positional argument(s) and got 1"""
    tensor_hook(lambda: None)


def forward_hook_with_two_arguments():
    """takes 2 positional argument(s) and got 3"""
    layer = torch.nn.Identity()
    layer.register_forward_hook(lambda module, args: None)
    layer(leaf())


def forward_hook_with_a_default():
    """takes from 1 to 2 positional argument(s) and got 3"""
    layer = torch.nn.Identity()
    layer.register_forward_hook(lambda module, args=(): None)
    layer(leaf())


def pre_hook_returns_a_pair():
    """unpacked"""
    layer = torch.nn.Identity()
    layer.register_forward_pre_hook(lambda module, args: (args[0], args[0]))
    layer(leaf())


def full_hook_used_as_tensor_hook():
    """2 argument(s) too few"""
    tensor_hook(lambda module, grad_input, grad_output: None)


def retain_grad_overwritten():
    """t.retain_grad = True was written earlier"""
    y = leaf() * 2
    y.retain_grad = True
    y.retain_grad()


def a_string_as_hook():
    """Something of type str was called"""
    tensor_hook("print")


def none_is_multiplied():
    """the gradient can be None"""
    p, q = leaf([1.0, 2.0]).unbind()
    q.register_hook(lambda grad: grad * 2)
    p.backward()


def none_is_asked():
    """.norm was asked of None"""
    p, q = leaf([1.0, 2.0]).unbind()
    q.register_hook(lambda grad: grad.norm() and None)
    p.backward()


def retain_grad_stored():
    """.sum was asked of None"""
    y = (leaf() * 2).retain_grad()
    y.sum()


def arguments_given_by_keyword():
    """holds only positional arguments"""
    layer = torch.nn.Linear(1, 1)
    layer.register_forward_hook(lambda m, args, output: args[0] and None)
    layer(input=torch.ones(1, 1))


def in_place_after_a_full_hook():
    """ReLU(inplace=True)"""
    net = torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.ReLU(inplace=True))
    net[0].register_full_backward_hook(lambda m, gi, go: None)
    net(torch.ones(1, 1, requires_grad=True))


def gradient_of_a_sum_edited_in_place():
    """The gradient of a sum is such a tensor"""
    y = leaf([1.0, 2.0]) * 2
    y.register_hook(lambda grad: grad.mul_(2) and None)
    y.sum().backward()


def full_hook_on_a_first_layer():
    """No input of this module requires a gradient"""
    layer_hook("register_full_backward_hook", lambda m, gi, go: None, False)


def full_hook_on_a_module_that_returns_a_dict():
    """a dict for example"""

    class Named(torch.nn.Module):
        def forward(self, x):
            return {"y": x * 2}

    module = Named()
    module.register_full_backward_hook(lambda m, gi, go: None)
    module(leaf())["y"].backward()


def legacy_hook_with_several_nodes():
    """the old kind"""
    layer_hook("register_backward_hook", lambda m, gi, go: None)


def legacy_hook_on_a_module_that_returns_a_list():
    """the old kind"""

    class Lists(torch.nn.Module):
        def forward(self, x):
            return [x * 2]

    module = Lists()
    module.register_backward_hook(lambda m, gi, go: None)
    module(leaf())[0].backward()


def saving_a_tensor_with_a_hook():
    """Hooks are not saved with a tensor"""
    x = leaf()
    x.register_hook(print)
    torch.save(x, io.BytesIO())


def saving_a_module_with_a_lambda():
    """model.state_dict()"""
    layer = torch.nn.Linear(1, 1)
    layer.register_forward_hook(lambda m, args, output: None)
    torch.save(layer, io.BytesIO())


def backward_of_data():
    """no tracked operation"""
    (torch.ones(1) * 3).backward()


def backward_of_a_vector():
    """with several elements"""
    (leaf([1.0, 2.0]) * 3).backward()


def gradient_of_a_wrong_shape():
    """has the shape torch.Size([3]), the tensor has torch.Size([2])"""
    (leaf([1.0, 2.0]) * 3).backward(torch.ones(3))


def second_backward():
    """retain_graph=True"""
    y = leaf() * 3
    y.backward()
    y.backward()


def misspelt_keyword():
    """no argument called reatain_graph"""
    (leaf() * 3).backward(reatain_graph=True)


def grad_of_an_unused_tensor():
    """another tensor object"""
    torch.autograd.grad(leaf() * 3, leaf())


def create_graph():
    """holds the parameter, which holds .grad"""
    x = leaf()
    (x**3).backward(create_graph=True)
    x.grad = None


def saved_value_changed():
    """version 1, and 0 is needed"""
    y = leaf([1.0, 2.0]) * 3
    z = y**2
    y += 1
    z.sum().backward()


def parameter_stepped_between_two_backwards():
    """optimizer.step() between two backward calls"""
    w = torch.nn.Parameter(torch.ones(1))
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    torch.optim.SGD([w], lr=0.1).step()
    loss.backward()


def grad_of_a_result():
    """only leaves keep theirs"""
    _ = (leaf() * 2).grad


def retain_grad_on_data():
    """for which no gradient is computed"""
    torch.ones(2).retain_grad()


def retains_grad_assigned():
    """it cannot be set"""
    (leaf() * 2).retains_grad = True


def integers_that_require_grad():
    """integers or bools"""
    torch.tensor([1, 2], requires_grad=True)


def requires_grad_of_a_result():
    """set on the result of an operation"""
    (leaf() * 2).requires_grad = False


def leaf_changed_in_place():
    """A leaf that requires a gradient"""
    w = leaf()
    w -= 0.1


def part_of_a_leaf_changed_in_place():
    """or a part of it"""
    leaf([1.0, 2.0])[0] = 5.0


def deepcopy_of_a_result():
    """result of an operation"""
    copy.deepcopy(leaf() * 2)


def torch_tensor_of_a_tensor():
    """no connection"""
    torch.tensor(leaf())


def numpy_of_a_tracked_tensor():
    """NumPy knows nothing of gradients"""
    leaf().numpy()


def grad_assigned_with_a_wrong_shape():
    """another shape or dtype"""
    leaf().grad = torch.ones(3)


def one_of_several_views_changed():
    """A tensor from Unbind shares memory"""
    (leaf([1.0, 2.0]) * 1).unbind()[0].mul_(2)


def inference_tensor_that_requires_grad():
    """can never take part in a graph"""
    with torch.inference_mode():
        t = torch.ones(2)
    t.requires_grad_()


def inference_tensor_saved():
    """nothing is prepared"""
    with torch.inference_mode():
        t = torch.ones(2)
    (leaf([1.0, 2.0]) * t).sum().backward()


def pack_hook_in_place():
    """changed its tensor in place"""
    x = leaf([1.0, 2.0])

    def pack(t):
        t.add_(1)
        return t

    with saved_tensors_hooks(pack, lambda t: t):
        (x * 2).exp()


def unpack_hook_returns_an_array():
    """An unpack hook returned numpy.ndarray"""
    with saved_tensors_hooks(lambda t: t.detach().numpy(), lambda packed: packed):
        y = leaf() ** 2
    y.backward()


def full_hook_inside_torch_func():
    """Take full backward hooks off a module"""
    layer = torch.nn.Linear(1, 1)
    layer.register_full_backward_hook(lambda m, gi, go: None)
    torch.func.grad(lambda x: layer(x).sum())(torch.ones(1, 1))


def reentrant_checkpoint_with_grad():
    """use_reentrant=False"""
    x = leaf([[1.0]])
    torch.autograd.grad(checkpoint(torch.nn.Linear(1, 1), x, use_reentrant=True), x)


def reentrant_checkpoint_without_inputs():
    """even the parameters inside get none"""
    checkpoint(torch.nn.Linear(1, 1), torch.ones(1, 1), use_reentrant=True)


ALL = [
    value
    for name, value in list(globals().items())
    if callable(value) and getattr(value, "__module__", "") == __name__ and value.__doc__
]
SINCE = {full_hook_on_a_first_layer: "2.8"}  # an older torch says nothing
HERE = [s for s in ALL if TorchVersion(torch.__version__) >= SINCE.get(s, "0")]


def messages_of(scene) -> list[str]:
    """The messages of the error and the warnings that the scene causes."""
    once = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        try:
            scene()
        except Exception as error:
            return [str(error)]
        finally:
            torch.set_warn_always(once)
    return [str(warning.message) for warning in shown]

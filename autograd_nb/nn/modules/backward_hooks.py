"""Full backward hooks of modules: two identity nodes, before and after the module, with node hooks of their own."""

from ...engine.function import Function
from ...engine.modes import state
from ...engine.tensor import Tensor
from ...engine.warning import warn


class BackwardHookFunction(Function):
    """The identity on all its inputs, a node of the graph all the same."""

    @staticmethod
    def forward(ctx, *tensors):
        ctx.mark_non_differentiable(*(tensor for tensor in tensors if not tensor.requires_grad))
        return tuple(tensor.view_as(tensor) for tensor in tensors)

    @staticmethod
    def backward(ctx, *grads):
        return grads


class BackwardHooks:
    """One call's full backward hooks: gradients of the outputs are noted, and hooks run once the inputs' are there."""

    def __init__(self, module, hooks, pre_hooks):
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs = self.inputs_watched = None

    def _watch(self, values):
        """The values with their tensors sent through an identity node; the node and where its tensors stood, if any."""
        places = [place for place, value in enumerate(values) if isinstance(value, Tensor)]
        tensors = [values[place] for place in places]
        if not state.hot[1] or not any(tensor.requires_grad for tensor in tensors):
            return values, None, None
        values = list(values)
        for place, tensor in zip(places, BackwardHookFunction.apply(*tensors), strict=True):
            values[place] = tensor
        node = next(values[place].grad_fn for place in places if values[place].grad_fn is not None)
        return tuple(values), node, places

    def watch_inputs(self, args):
        args, node, places = self._watch(args)
        self.count, self.inputs_watched = len(args), node is not None
        if node is not None:

            def hook(grad_inputs, _):
                if self.grad_outputs is None:  # the gradient came by another way than through the module's output
                    return None
                grads = tuple(spread(grad_inputs, places, self.count))
                for each in self.hooks:
                    changed = each(self.module, grads, self.grad_outputs)
                    if changed is not None:
                        if len(changed) != len(grads):
                            raise RuntimeError(
                                "Backward hook returned an invalid number of grad_input, got "
                                f"{len(changed)}, but expected {len(grads)}"
                            )
                        grads = changed
                self.grad_outputs = None
                return tuple(grads[place] for place in places)

            node.register_hook(hook)
        return args

    def watch_outputs(self, result):
        several = isinstance(result, tuple)
        if not (several or isinstance(result, Tensor)):
            warn("For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                 f"{type(result)}")
        outputs, node, places = self._watch(result if several else (result,))
        if node is not None:

            def hook(_, grad_outputs):
                grads = tuple(spread(grad_outputs, places, len(outputs)))
                for each in self.pre_hooks:
                    changed = each(self.module, grads)
                    if changed is not None:
                        if len(changed) != len(grads):
                            raise RuntimeError(
                                "Backward pre hook returned an invalid number of grad_output, got "
                                f"{len(changed)}, but expected {len(grads)}"
                            )
                        grads = changed
                self.grad_outputs = grads
                if not self.inputs_watched:
                    self._run_without_inputs(grads)
                return tuple(grads[place] for place in places)

            node.register_hook(hook)
        if several and node is not None and type(result) is not tuple:  # a named one
            return type(result)(*outputs)
        return outputs if several else outputs[0]

    def _run_without_inputs(self, grads):
        warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs "
            "require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
            "register_full_backward_hook for more details."
        )
        for hook in self.hooks:
            changed = hook(self.module, (None,) * self.count, grads)
            if changed is not None and not (isinstance(changed, tuple) and all(each is None for each in changed)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or "
                    "None for all gradients."
                )
        self.grad_outputs = None


def spread(values, places, count):
    """A list of *count* with the values at their places and None elsewhere."""
    spaced = [None] * count
    for place, value in zip(places, values, strict=True):
        spaced[place] = value
    return spaced

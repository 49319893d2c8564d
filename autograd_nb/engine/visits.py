"""What is done at one node of the walk: its formulas, and what may be attached to it.

Tensor hooks see a gradient before the node runs and may replace it, a retained one is kept on the way, a node's own
hooks stand before and after it, ``autograd.grad`` collects what it was asked for, and a user's Function runs instead
of formulas.  The usual of these, hooks and retained gradients of a single output and Functions, go through one loop
(:meth:`Visits.visit`); the rest takes one step after the other (:meth:`Visits.visit_with_care`).
"""

from .dtypes import BY_NUMPY, BY_SCALAR
from .fitting import written_out
from .graph import NONE, Output
from .leaf import AccumulateGrad
from .leaf_order import leaves_in_order
from .modes import state
from .plans import Plan
from .saved import FREED, value_of
from .table import ops
from .tensor import Tensor, ndarray, new_tensor, wrap

tell = None  # as the engine's


class Visits:
    """The part of a walk that deals with one node."""

    def visit(self, node, grad):
        """Run a node that needs more than its formulas, and in a chain those that follow it; where gradients arrive.

        The usual: tensor hooks, retained gradients and user code at nodes of one output, in one loop.
        """
        run, create_graph, keep_graph, meetings = state.run, self.create_graph, self.keep_graph, self.meetings
        unusual = self.needed is not None
        while True:
            plan, extras = node.plan, node.extras
            if unusual or tell is not None or grad is None or plan.several_outputs or (
                extras is not None and extras.around
            ):  # fmt: skip
                return self.arrivals(node, self.visit_with_care(node, grad if plan.several_outputs else [grad]))
            if extras is not None:
                hooks = extras.tensor_hooks
                if hooks is not NONE:
                    for _, hook in [*hooks.values()]:  # a hook may add others
                        shown = self.shown(grad)
                        after = hook(shown)
                        if after is not None or shown._array is not grad:
                            grad = self.after_hook(hook, grad, shown, after)
                retained = extras.retained
                if retained is not NONE and retained:
                    self.retain(node, retained[0](), grad)
            only = plan.only
            if plan.calls_user_code:
                grads, only = plan.run_one(node, grad, self)
            elif create_graph:
                grads = plan.backward_tensors(node, grad)
            else:
                grads = run(plan.backward, node, grad)
            if plan.keeps and not keep_graph:
                node.saved = FREED
            if only is None:
                self.share_twins(grads)
                return self.arrivals(node, grads)
            edge = node.edges[only] if only else node.first
            if self.ready or edge is None or meetings and edge in meetings or edge.__class__ is AccumulateGrad or (
                edge.__class__ is Output or edge.extras is None and not edge.plan.calls_user_code
            ):  # fmt: skip
                return ((edge, grads),)
            node, grad = edge, grads

    def arrivals(self, node, grads):
        """The gradients of a node's inputs with the edges at which they arrive."""
        pairs = zip(node.edges, grads, strict=True)
        return leaves_in_order(pairs, self.meetings, len(self.ready)) if len(node.edges) > 2 else pairs

    failure = None  # the error of a node itself, that was told

    def visit_with_care(self, node, grads):
        """Run a node with all that may be attached to it or to the walk; its gradients, one for each edge."""
        plan, extras = node.plan, node.extras
        if self.needed is not None:
            self.capture(node, grads)
            if node not in self.needed:
                return [None] * len(node.edges)
        try:
            if extras is not None:
                grads = self.look(node, extras, grads)
                if plan.several_outputs and not plan.calls_user_code and "indices" in (plan.row.returns or ()):
                    grads = [grad for grad, name in zip(grads, plan.row.returns, strict=True) if name != "indices"]
                if extras.pre_hooks:
                    grads = self.node_hooks(node, "pre_hooks", grads)
            results = self.perform(node, grads) if tell is None else self.told(node, grads)
            if extras is not None and extras.post_hooks:
                results = self.node_hooks(node, "post_hooks", results, grads)
        except Exception as error:
            if tell is not None and error is not self.failure:
                tell("hook_failed", node, error)
            raise
        if plan.keeps and not self.keep_graph:
            node.saved = FREED
            if tell is not None:
                tell("freed", node)
        return self.wanted(node, results) if plan.calls_user_code else results

    def perform(self, node, grads):
        """The gradients of a node's inputs, one for each edge; user code gives also those that nobody wants."""
        if node.plan.calls_user_code:
            return node.plan.run(node, grads, self)
        return self.wanted(node, self.derive(node, grads))

    def wanted(self, node, grads):
        """The gradients of a node's inputs, None where nobody wants one."""
        if self.needed is None:
            return grads
        return [each if wanted else None for wanted, each in zip(self.needed[node], grads, strict=True)]

    def told(self, node, grads):
        """Run a node while somebody listens; its gradients, one for each edge."""
        tell("run", node, grads)
        results = None
        try:
            results = self.perform(node, grads)
            tell("ran", node, grads, results)
        except Exception as error:
            self.failure = error
            if results is not None and node.plan.keeps and not self.keep_graph:
                node.saved = FREED  # it ran: the error is about what it gave
            tell("failed", node, error)
            raise
        return results

    def backward_of(self, node):
        """What computes the gradients of a node's inputs, or only of those inputs of which somebody wants one.

        With which input that is, if it is a single one, as a plan's *only*.
        """
        plan = node.plan
        if self.needed is not None and plan.only is None and plan.__class__ is Plan and not plan.row.variadic:
            wanted = self.needed[node]
            if False in wanted:
                return plan.partial(wanted, self.create_graph)
        return (plan.backward_tensors if self.create_graph else plan.backward), plan.only

    def derive(self, node, grads):
        """The gradients of a node's inputs, one for each edge, from those of its outputs, by its formulas."""
        plan = node.plan
        given = grads if plan.several_outputs else grads[0]
        if given is None or plan.several_outputs and all(each is None for each in grads):
            saved = node.saved if node.saved.__class__ is tuple else (node.saved,)
            for entry in saved if plan.keeps else ():
                value_of(node, entry)  # what a node saved is looked at first, also where there is nothing to do with it
            return [None] * len(node.edges)
        backward, only = self.backward_of(node)
        results = backward(node, given) if self.create_graph else state.run(backward, node, given)
        if only is not None:
            grads = [None] * len(node.edges)
            grads[only] = results
            return grads
        self.share_twins(results)
        return results

    def look(self, node, extras, grads):
        """The gradients of a node's outputs after tensor hooks, retained on the way."""
        grads = list(grads)
        for number, hook in [*extras.tensor_hooks.values()]:
            grads[number] = self.hooked(node, number, hook, grads[number])
        for number, reference in extras.retained.items():
            self.retain(node, reference(), grads[number])
        return grads

    def hooked(self, node, number, hook, grad):
        """The gradient of an output after a tensor hook was shown it, which may replace it."""
        shown = None if grad is None else self.shown(grad)
        after = hook(shown)
        if tell is not None:
            tell("hook", node, number, hook, shown, after)
        return self.after_hook(hook, grad, shown, after)

    def after_hook(self, hook, grad, shown, after):
        """What a gradient is after a hook was *shown* it and returned *after*."""
        if after is None:
            if shown is None or shown is grad or shown._array is grad:
                return grad  # what the hook changed in place is that very array
            after = shown  # whose elements became another array, when the hook changed a scalar in place
        else:
            check_replacement(hook, shown, after)
        return self.taken(after)

    def retain(self, node, tensor, grad):
        """Keep the gradient of an intermediate result, if that is still there, in its ``.grad``."""
        if tensor is None or grad is None:
            return
        if tensor._kept_grad is not None:
            kept = tensor._kept_grad + self.shown(grad)
        elif self.create_graph:
            kept = duplicate(grad, "clone")
        else:
            kept = new_tensor()
            kept._array = grad.copy() if grad.__class__ is ndarray else grad
            kept._dtype = tensor._dtype
            kept._node = kept._counter = None
        tensor._kept_grad = kept
        if tell is not None:
            tell("retained", node, tensor, kept)

    def capture(self, node, grads):
        """Keep the gradients that ``autograd.grad`` was asked for.

        Tensor hooks come before where the walk ends, and at a root that leads to nothing that was asked for.
        """
        places = [(number, self.captures.get((node, number))) for number in range(len(grads))]
        wanted = [(number, positions) for number, positions in places if positions]
        if node not in self.needed and node.extras is not None and any([grad is not None for grad in grads]):
            grads = self.look(node, node.extras, grads)
        for number, positions in wanted:
            grad = grads[number]
            if grad.__class__ is ndarray:
                grad = written_out(grad)
                self.share(grad)
            self.captured.update(dict.fromkeys(positions, grad))
            if tell is not None:
                tell("captured", node, number, grad)

    def node_hooks(self, node, kind, grads, *others):
        """Gradients after a node's own hooks of a *kind*, which may replace them; *others* are shown to them too."""
        hooks = getattr(node.extras, kind)
        shown = tuple([None if grad is None else self.shown(grad) for grad in grads])
        others = [tuple([None if grad is None else self.shown(grad) for grad in other]) for other in others]
        for hook in [*hooks.values()]:
            after = hook(shown, *others)
            if tell is not None:
                tell("node_hook", node, kind, hook, shown, after)
            if after is None:
                continue
            if not isinstance(after, tuple):
                raise TypeError(f"expected tuple, but hook returned '{type(after).__name__}'")
            if len(after) != len(shown):
                raise RuntimeError(
                    f"hook '{hook_name(hook)}' has returned an incorrect number of values (got {len(after)}, but "
                    f"expected {len(shown)})"
                )
            for before, replacement in zip(shown, after, strict=True):
                if replacement is not None:
                    check_replacement(hook, before, replacement)
            shown = after
        return [None if grad is None else self.taken(grad) for grad in shown]

    # -- between the walk and whoever looks ------------------------------------------------------------------------

    def shown(self, grad):
        """A gradient of the walk as a tensor that user code may look at and keep."""
        kind = grad.__class__
        if kind in BY_SCALAR:
            dtype = BY_SCALAR[kind]
        elif kind is ndarray:
            grad = written_out(grad)
            self.shared[id(grad)] = grad
            dtype = BY_NUMPY[grad.dtype]
        else:
            return grad
        tensor = new_tensor()  # wrap written out: hooks and user code are shown something at every node
        tensor._array = grad
        tensor._dtype = dtype
        tensor._node = tensor._counter = None
        return tensor

    def taken(self, tensor):
        """A tensor from user code as a gradient of the walk."""
        if self.create_graph:
            return tensor
        array = tensor._array
        if array.__class__ is ndarray:
            if not array.shape:
                return array[()]
            self.shared[id(array)] = array
        return array

    def share_twins(self, grads):
        """Both edges of an addition are given one array."""
        if grads and grads[0] is grads[-1]:
            self.share(grads[0])

    def share(self, grad):
        if grad.__class__ is ndarray:
            self.shared[id(grad)] = grad


def duplicate(tensor, operation):
    """A copy, made by *operation* when it is to be part of the graph."""
    if tensor._node is not None and state.grad_enabled:
        return getattr(ops, operation)(tensor)
    array = tensor._array
    return wrap(array.copy() if array.__class__ is ndarray else array, tensor._dtype)


def hook_name(hook):
    return getattr(hook, "__name__", type(hook).__name__)


def check_replacement(hook, before, after):
    """What a hook returned in place of a gradient has to be a tensor like it."""
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(after, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(after).__name__}'")
    if after._dtype is not before._dtype:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the type of value (was "
                           f"torch.{before._dtype.legacy_name}"
                           f"Tensor got torch.{after._dtype.legacy_name}Tensor)")
    if after._array.shape != before._array.shape:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the size of value")

"""A graph twice as large takes twice as many steps to build and to walk, and leaves nothing behind.

The tests count steps and take no times: a step is a call of a Python function or of a C function.
"""

import gc
import sys
import tracemalloc
import weakref

import pytest

import autograd_nb as torch

SIZE = 60
GRAPHS = {}


def graph(function):
    GRAPHS[function.__name__] = function
    return function


def leaf(*shape):
    return torch.full(shape, 0.5).requires_grad_()


@graph
def a_chain(size):
    y = x = leaf()
    for _ in range(size):
        y = y * 0.999 + 0.001
    return x, y


@graph
def a_deep_network(size):
    y = x = leaf(4, 3)
    for _ in range(size):
        y = torch.tanh(torch.nn.Linear(3, 3)(y))
    return x, y.sum()


@graph
def a_ladder(size):
    """Each rung uses both before it: twice as many paths with each, and yet one step more."""
    x = leaf()
    a = b = x
    for _ in range(size):
        a, b = b, a * 0.5 + b * 0.5
    return x, b


@graph
def hooks(size):
    y = x = leaf()
    for _ in range(size):
        y = y * 0.999
        y.register_hook(lambda grad: grad)
        y.retain_grad()
    return x, y


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 + x * 0


@graph
def functions(size):
    y = x = leaf()
    for _ in range(size):
        y = Doubled.apply(y) * 0.5
    return x, y


@graph
def views_and_changes_in_place(size):
    x = leaf(4)
    y = x.clone()
    for index in range(size):
        y[index % 4].mul_(0.5)
    return x, y.sum()


@graph
def nodes_of_several_outputs(size):
    x = leaf(size, 2)
    return x, sum(part.sum() for part in x.unbind())


def steps(action, *arguments):
    """The number of calls that *action* makes, and its result."""
    count = 0

    def count_calls(frame, event, argument):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count_calls)
    try:
        result = action(*arguments)
    finally:
        sys.setprofile(before)
    return count, result


def walk(x, y):
    y.backward()
    return x.grad


def walk_for_a_graph(x, y):
    (grad,) = torch.autograd.grad(y, x, create_graph=True)
    return grad


def walk_twice(x, y):
    grad = walk_for_a_graph(x, y)
    if grad.requires_grad:
        grad.sum().backward()


def counts(name, way, size):
    """Steps to build a graph of that size, and to walk it."""
    build_steps, made = steps(GRAPHS[name], size)
    return build_steps, steps(way, *made)[0]


@pytest.mark.parametrize("way", [walk, walk_for_a_graph, walk_twice])
@pytest.mark.parametrize("name", GRAPHS)
def test_twice_the_graph_takes_twice_the_steps(name, way):
    counts(name, way, 3)  # loading and planning happen once, so they do not count
    for once, twice, four_times in zip(*(counts(name, way, factor * SIZE) for factor in (1, 2, 4)), strict=True):
        assert four_times - twice <= 2.02 * (twice - once) + 4
        assert twice <= 2.02 * once


def weak(node):
    """Weak references to a node and to everything behind it."""
    seen, stack = {}, [node]
    while stack:
        node = stack.pop()
        if node is not None and id(node) not in seen:
            seen[id(node)] = weakref.ref(node)
            stack.extend(edge for edge, _ in node.next_functions)
    return list(seen.values())


@pytest.fixture(scope="module", autouse=True)
def without_what_was_there():
    """Let the collector look only at these tests' objects: all others would take long, each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def without_gc():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("walked", [False, True])
@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_dies_with_its_root_by_reference_count_alone(name, walked, without_gc):
    GRAPHS[name](2)[1].backward()
    gc.collect()
    x, y = GRAPHS[name](20)
    nodes = [ref for ref in weak(y.grad_fn) if ref().name() != "torch::autograd::AccumulateGrad"]
    tensor = weakref.ref(y)
    if walked:
        y.backward()
    del y
    assert tensor() is None and not any(ref() for ref in nodes)
    x.grad = None
    del x
    assert gc.collect() == 0  # it finds no cycle


class Held:
    """A pack hook's result for a saved tensor."""

    def __init__(self, tensor):
        self.tensor = tensor


@pytest.mark.parametrize("name", GRAPHS)
def test_a_pass_keeps_nothing_of_what_nodes_saved(name, without_gc):
    saved = []

    def pack(tensor):
        held = Held(tensor)
        saved.append(weakref.ref(held))
        return held

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda held: held.tensor):
        x, y = GRAPHS[name](10)
    alive = [ref for ref in saved if ref()]
    y.backward()
    assert not any(ref() for ref in saved), f"of {len(alive)}"
    assert x.grad is not None and y.grad_fn is not None  # both are still there


def objects_and_bytes(size):
    """How many of the collector's objects, and how many bytes, a chain of *size* nodes takes."""
    x = leaf()
    factor = torch.tensor(0.999)
    y = x * factor
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        before = len(gc.get_objects()), tracemalloc.get_traced_memory()[0]
        for _ in range(size):
            y = y * factor
        return len(gc.get_objects()) - before[0], tracemalloc.get_traced_memory()[0] - before[1]
    finally:
        tracemalloc.stop()
        gc.enable()


def test_a_node_takes_few_objects_and_bytes():
    objects, size = objects_and_bytes(1000)
    print(f"{objects / 1000} objects and {size / 1000} bytes a node")
    assert objects / 1000 <= 4 and size / 1000 <= 320

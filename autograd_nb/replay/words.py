"""Every word that a trace says to a learner, apart from what it is said about, so that it can be translated."""

import re
from functools import lru_cache

from .events import MOST_EVENTS, MOST_NODES
from .formulas import derivations
from .labels import node_name, operation_name, short, tensor_name

MOST_SHOWN = 200  # sentences in a notebook's list
EMPTY = "Nothing was recorded."
ENDED = (f"The recording ends here: it holds at most {MOST_EVENTS:,} events and {MOST_NODES:,} nodes. To see what "
         "comes then, record fewer turns of the loop.")  # fmt: skip
MORE = "… and {count} more"
SILENT = ("Used", "Freed", "Ready")  # these go without saying beside what a node did


def with_value(trace, key, value):
    return f"{tensor_name(trace, key)} = {short(value)}" if key in trace.tensors else short(value)


def place_name(trace, edge):
    key = trace.tensor_at(edge)
    return tensor_name(trace, key) if key else trace.titles.place(edge) or node_name(trace, edge[0])


def listed(parts):
    parts = list(parts)
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def derivative(trace, started, edge):
    """The gradient at an edge ``(node, output)`` in calculus' words: ∂z/∂y; vᵀ · ∂z/∂y for a root with a gradient v."""
    names = [in_fraction(place_name(trace, root)) for root in started.roots] if started else []
    above = names[0] if len(names) == 1 else f"({' + '.join(names)})" if names else "out"
    fraction = f"∂{above}/∂{in_fraction(place_name(trace, edge))}"
    if started is None or all(grad is None or grad.size == 1 and grad.array.item() == 1 for grad in started.grads):
        return fraction
    vector = any(grad is not None and grad.shape for grad in started.grads)
    return f"{'vᵀ' if vector else 'v'} · {fraction}"


@lru_cache
def in_fraction(name):
    """A name or expression after ∂: "x", "(sin x)", "(x**3)", "(y, line 4)"."""
    name = re.sub(r"^(\w+)\((\w+)\)$", r"\1 \2", name)
    name = re.sub(r" \((line \d+)\)", r", \1", name)
    return name if re.fullmatch(r"[\w.\[\]']+", name) else f"({name})"


def sentence(trace, group):
    said = []
    for event in group:
        if len(group) > 1 and event.kind in SILENT and not (event.kind == "Ready" and group[0].kind == "Started"):
            continue
        text = globals()["on_" + event.kind.lower()](trace, event)
        if text not in said:
            said.append(text)
    return " ".join(said)


def on_operation(trace, event):
    if event.within is not None and event.pass_number is not None:
        made = f", recorded as {node_name(trace, event.node)}" if event.node else ""
        values = listed(map(short, event.values)) or "nothing"
        return f"On the way {operation_name(event)} computes {values}{made}."
    inputs = [tensor_name(trace, key) for key in dict.fromkeys(event.inputs)]
    outputs = [with_value(trace, key, value) for key, value in zip(event.outputs, event.values, strict=True)]
    of = f" from {listed(inputs)}" if inputs else ""
    hooked = "In a hook, " if event.pass_number is not None else ""
    text = f"{hooked}{operation_name(event)} computes {listed(outputs) or 'nothing'}{of}"
    if event.cut == "detach":
        return f"detach gives {listed(outputs)}, the elements of {inputs[0]} out of the graph: no gradient passes here."
    if event.cut:
        return f"{text}; inside {event.cut} nothing is recorded, so no gradient passes here."
    if event.view and inputs:
        text += f", a view that shares its memory with {inputs[0]}"
    return f"{text}; {node_name(trace, event.node)} is recorded for the way back." if event.node else f"{text}."


def on_changed(trace, event):
    shared = listed(tensor_name(trace, key) for key, _ in event.others)
    name = operation_name(event)
    name += "_" if name.islower() else ""  # an optimizer's has no in-place form
    text = (f"{name} changes {tensor_name(trace, event.tensor)} in place to {short(event.value)}: its version is now "
            f"{event.version}")  # fmt: skip
    text += f", and with it {shared}" if shared else ""
    return f"{text}; {node_name(trace, event.node)} is recorded." if event.node else f"{text}."


def on_started(trace, event):
    starts = (f"{place_name(trace, root)} with the gradient {short(grad)}"
              for root, grad in zip(event.roots, event.grads, strict=True))  # fmt: skip
    again = "" if event.pass_number == 1 else f" {event.pass_number}"
    text = f"Backward pass{again} starts at {listed(starts)}"
    if event.create_graph:
        return text + "; create_graph records it, so that it can be differentiated itself."
    return text + ("; retain_graph keeps the saved tensors for another pass." if event.retain_graph else ".")


def on_ready(trace, event):
    return f"{node_name(trace, event.node)} is ready: all gradients that lead to it have arrived."


def on_used(trace, event):
    what = tensor_name(trace, event.tensor) if event.tensor else event.name
    if event.value is None:
        return f"{node_name(trace, event.node)} asks for {event.name}, which it saved."
    what = f"{what} = {short(event.value)}"
    return f"{node_name(trace, event.node)} reads {what}, which it saved and which is still of the same version."


def on_foundmodified(trace, event):
    what = tensor_name(trace, event.tensor) if event.tensor else f"its {event.name}"
    return (f"{node_name(trace, event.node)} saved {what} at version {event.expected}; changed in place since, it is "
            f"at version {event.version}: the gradient would be wrong.")  # fmt: skip


def on_ran(trace, event):
    node = node_name(trace, event.node)
    started = trace.passes[event.index]
    came = listed(derivative(trace, started, (event.node, number)) for number in range(len(event.grads)))
    record = trace.nodes.get(event.node)
    parts = [f"{derivative(trace, started, record.edges[each.edge])}: {rule_in_words(record, each, event)}"
             for each in derivations(trace, event)]  # fmt: skip
    if not parts:
        return f"{node} gets {came}; no input of it needs a gradient."
    product = ", a vector–Jacobian product" if any(grad is not None and grad.shape for grad in event.grads) else ""
    return f"{node} turns {came} into {'; and into '.join(parts)}{product}."


def edges_in_words(trace, event):
    """``{input's number: text}`` of the gradients that a node gave: "∂z/∂y = 1 / 125 = 0.008"."""
    record, started = trace.nodes.get(event.node), trace.passes[event.index]
    found = {}
    for each in derivations(trace, event):
        parts = [derivative(trace, started, record.edges[each.edge]), each.numbers, short(each.result)]
        found[each.edge] = " = ".join(dict.fromkeys(part for part in parts if part))
    return found


def rule_in_words(record, each, event):
    result = short(each.result)
    grad = next((grad for grad in event.grads if grad is not None), None)
    if each.text is None:
        told = RULES.get(record.row, OWN if record.row is None else OTHER)
        return f"{told}: {result}"
    shapes = ""
    if grad is not None and each.elementwise and each.result.size != grad.size:
        shapes = ", summed to the shape of the input" if each.result.size < grad.size else " for each element"
    if each.numbers is None or each.numbers == result:
        return f"{each.text}{shapes} = {result}"
    return f"{each.text}{shapes} = {each.numbers}{shapes and ' …'} = {result}" if shapes else (
        f"{each.text} = {each.numbers} = {result}")  # fmt: skip


def on_hooked(trace, event):
    who = {"tensor": "The hook", "pre_hooks": "The hook before", "post_hooks": "The hook after",
           "accumulated_hooks": "The hook after accumulation at"}[event.stage]  # fmt: skip
    where = node_name(trace, event.node)
    where = f"of {place_name(trace, (event.node, event.output))}" if event.stage == "tensor" else where
    if event.before is None:
        return f"{who} {where} ({event.hook}) is called."
    text = f"{who} {where} ({event.hook}) sees {short(event.before)}"
    return f"{text} and leaves it as it is." if event.after is None else f"{text} and makes it {short(event.after)}."


def on_summed(trace, event):
    where = place_name(trace, (event.node, event.output))
    return (f"A further gradient arrives at {where} by another path: {short(event.added)} is added, the sum is "
            f"{short(event.total)}.")  # fmt: skip


def on_captured(trace, event):
    where = place_name(trace, (event.node, event.output))
    return f"The gradient of {where} was asked for: {short(event.value)} is returned."


def on_accumulated(trace, event):
    name = tensor_name(trace, event.tensor)
    if event.grad is None:
        return f"No gradient arrives at {name}: its .grad stays as it was."
    if event.before is None:
        return f"AccumulateGrad puts {short(event.grad)} into {name}.grad, which was None."
    becomes = f"{short(event.before)} becomes {short(event.total)}"
    return f"AccumulateGrad adds {short(event.grad)} to {name}.grad: {becomes}."


def on_retained(trace, event):
    return f"{tensor_name(trace, event.tensor)} retains its gradient: its .grad is now {short(event.value)}."


def on_freed(trace, event):
    return f"{node_name(trace, event.node)} lets go of what it saved: it cannot run again."


def on_gradset(trace, event):
    zeroed = event.kind == "Zeroed" and event.value is not None
    return f"{tensor_name(trace, event.tensor)}.grad is set to {'zero' if zeroed else short(event.value)}."


on_zeroed = on_gradset


def on_failed(trace, event):
    where = f" in {node_name(trace, event.node)}" if event.node else ""
    return f"{event.error}{where}: {event.message}"


def on_finished(trace, event):
    return "The backward pass is done."


def on_unseen(trace, event):
    return "What runs inside a transform of torch.func is not recorded: its tensors have no elements to be read."


def on_ended(trace, event):
    return ENDED


def summary(trace):
    if not len(trace):
        return "Trace: nothing recorded"
    passes = sum(event.kind == "Started" for event in trace)
    forward = sum(event.kind in ("Operation", "Changed") and event.pass_number is None for event in trace)
    text = f"Trace: {forward} forward operation{'s' * (forward != 1)}, {passes} backward pass{'es' * (passes != 1)}, "
    return f"{text}{len(trace)} events. {trace.notice}".rstrip()


# -- rules that are no arithmetic ------------------------------------------------------------------------------------

OWN = "as its own backward computes it"
OTHER = "by its derivative rule"
RULES = {
    row: told
    for told, rows in {
        "the same gradient in the shape of the input":
            "view reshape_alias unsafe_view squeeze_all squeeze_dim squeeze_dims squeeze_first unsqueeze "
            "squeeze_all_in_place squeeze_dim_in_place squeeze_dims_in_place unsqueeze_in_place",
        "the gradient with its dimensions back in the input's order": "permute transpose transpose_in_place",
        "the gradient turned back": "flip roll_row",
        "the gradient in the input's dtype": "_to_copy",
        "each gradient goes to the element that was chosen, all other elements get 0":
            "max_dim min_dim median_dim topk_row amax_row amin_row",
        "the gradient is shared evenly by the elements that were chosen, all others get 0":
            "max_all min_all median_all",
        "each gradient goes back to the place its element was taken from, other places get 0":
            "select slice index index_select gather take diagonal diagonal_copy strided_view masked_select unbind_row "
            "split_row split_with_sizes_row sort_row stable_sort_row trace",
        "the gradient is read off where the elements were put":
            "select_backward slice_backward index_backward diagonal_backward diag_embed masked_put trace_backward",
        "what was overwritten gets 0, what was written gets the gradient from its place":
            "index_put_row scatter_src scatter_value put scatter_add index_add",
        "each part gets its part of the gradient": "cat_row stack_row",
        "the gradients of all copies are added up": "repeat",
        "the gradient is repeated": "repeat_backward",
        "the gradient with the same triangle kept": "tril triu",
        "each element gets the gradients of all sums that it is part of": "cumsum_row",
        "each element gets the gradient times the product of the others": "prod_all prod_dim cumprod_row",
        "the gradient times the element over the norm": "linalg_vector_norm",
        "the gradient times twice the distance from the mean, over the count": "var_row",
        "the gradient times the distance from the mean, over the count and the deviation": "std_row",
        "the gradient times the whole number that other goes into self, with a minus": "remainder_tensor fmod_tensor",
        "PyTorch has no derivative here":
            "floor_divide_number floor_divide_number_in_place floor_divide_tensor floor_divide_tensor_in_place "
            "floor_divide_of_number remainder_of_number",
        "minus the gradient at the target's class, weighted as the classes are, 0 elsewhere":
            "nll_loss nll_loss_backward",
        "the gradient through the normalisation, of which mean and variance are part": "native_layer_norm",
        "the gradient, taken through the inverse transposed": "linalg_solve_ex",
        "the gradient times the determinant and the inverse transposed": "linalg_det_row",
        "the gradient crossed with the other vectors": "linalg_cross_row",
        "the gradient, times the slope where the result is negative": "leaky_relu_over",
    }.items()
    for row in rows.split()
}  # fmt: skip

"""What random programs are made of: templates of lines, filled in with the variables that a program has so far.

A place such as ``{x}`` stands for one variable throughout a line.  The program is run with PyTorch while it is written,
so that shapes are known and most lines make sense; those that raise stay, for their errors are compared too.
"""

import re

from .functions import FUNCTIONS
from .running import Side, would_crash

UNARY = (
    "exp log sqrt sin cos tan tanh sigmoid relu abs neg reciprocal rsqrt square exp2 log2 log10 log1p expm1 erf erfc "
    "asin acos atan sinh cosh asinh sgn sign sinc deg2rad rad2deg nan_to_num trunc frac"
).split()
BINARY = "add sub mul div maximum minimum atan2 hypot pow fmod remainder".split()
REDUCTIONS = "sum mean amax amin prod logsumexp var std cumsum cumprod max min norm softmax log_softmax sort".split()
SHAPES = ("", "1", "2", "3", "2, 3", "3, 2", "2, 2", "1, 3", "2, 1, 3", "2, 2, 2", "0", "2, 0")
NUMBERS = ("2", "3", "-1", "0.5", "1.5", "1", "0", "-2.5", "True")
WEIGHTED = {}  # kind -> (weight, templates)

WEIGHTED["leaf"] = 6, (
    "{new} = torch.tensor({data}, requires_grad=True)", "{new} = torch.tensor({data}, requires_grad=True)",
    "{new} = torch.tensor({data})", "{new} = torch.tensor({data}, dtype=torch.float64, requires_grad=True)",
    "{new} = torch.ones({shape})", "{new} = torch.zeros({shape}, requires_grad=True)", "{new} = torch.arange({shape})",
    "{new} = torch.ones_like({x})", "{new} = torch.full(({shape},), {n})", "{new} = torch.ones({shape}).long()",
    "{new} = torch.arange(6.).reshape(2, 3)", "{new} = torch.eye(2, requires_grad=True)",
)  # fmt: skip

VALUES = (
    "{x}.{unary}()", "{x}.{unary}()", "torch.{unary}({x})", "{x} {op} {y}", "{x} {op} {y}", "{x} {op} {y}",
    "{x} {op} {n}", "{x} {op} {n}", "{n} {op} {x}", "{x} {op} {x}", "torch.{binary}({x}, {y})", "{x}.{binary}({y})",
    "-{x}", "{x} ** {n}", "{n} ** {x}", "({x}.abs() + 1) ** {y}", "{x}.pow({n})", "torch.pow({n}, {x})",
    "{x}.add({y}, alpha={n})", "torch.sub({x}, {y}, alpha={n})", "torch.add({x}, {n}, alpha=2)", "{x}.add({n})",
    "torch.where({x} > {n}, {x}, {y})", "torch.where({x} > {n}, {x}, {n})", "{x}.clamp(min={n})",
    "{x}.clamp({n}, {n2})", "{x}.clamp(max={y})", "{x}.masked_fill({x} > {n}, {n2})", "torch.lerp({x}, {y}, {n})",
    "torch.addcmul({x}, {y}, {x})", "torch.addcdiv({x}, {y}, {x}, value=2)", "{x}.sum()", "{x}.mean()",
    "{x}.{reduction}({dim})", "{x}.sum({dim}, keepdim=True)", "{x}.mean(dim={dim}, keepdim=True)", "{x}.sum(dim=None)",
    "{x}.mean(dim=None)", "{x}.sum(())", "{x}.mean((0, -1))", "{x}.sum((0, 1))", "{x}.prod()", "{x}.max()", "{x}.min()",
    "{x}.var()", "{x}.std(unbiased=False)", "{x}.norm()", "{x}.norm(1)", "{x}.amax()", "{x}.amin(({dim},))",
    "{x}.max({dim}).values", "{x}.min({dim})[0]", "{x}.sort({dim})[0]", "{x}.topk(1, {dim})[0]", "{x}.median()",
    "{x}.logsumexp({dim})", "torch.softmax({x}, {dim})", "{x}.log_softmax({dim})", "{x}.cumsum({dim})",
    "{x} @ {y}", "{x} @ {x}.t()", "torch.mm({m}, {m2})", "{x}.dot({x})", "torch.mv({m}, {y})", "torch.outer({x}, {y})",
    "torch.bmm({x}, {y})", "torch.einsum('ij,ij->i', {m}, {m})", "torch.addmm({y}, {m}, {m2})",
    "torch.cat([{x}, {y}])", "torch.cat([{x}, {x}], {dim})", "torch.stack([{x}, {y}])", "torch.stack([{x}, {x}], -1)",
    "{x}[[0, 0]]", "{x}[{x} > {n}]", "{x}[torch.tensor([0])]", "{x}.index_select({dim}, torch.tensor([0, 0]))",
    "{x}.gather({dim}, torch.zeros_like({x}, dtype=torch.long))", "{x}.masked_select({x} > {n})", "{x}.flip(0)",
    "{x}.roll(1, {dim})", "{x}.repeat(2)", "{x}.tril()", "{x}.triu(1)", "{x}.diag()", "{x}.trace()", "{x}.clone()",
    "{x}.contiguous()", "{x}.double()", "{x}.float()", "{x}.to(torch.float64)", "{x}.to({y}.dtype)", "{x}.long()",
    "{x}.expand(2, 2, 3) * 1", "torch.nn.functional.mse_loss({x}, {y})", "torch.nn.functional.relu({x})",
    "torch.nn.functional.softplus({x})", "torch.nn.functional.gelu({x})", "torch.nn.functional.leaky_relu({x})",
    "torch.nn.functional.l1_loss({x}, {y})", "torch.nn.functional.smooth_l1_loss({x}, {y})",
    "torch.nn.functional.linear({m}, {m2})", "torch.nn.functional.pad({x}, (1, 1))", "{x}.div({y}, rounding_mode=None)",
    "{x}.div({n}, rounding_mode='floor')", "torch.zeros_like({x}).copy_({x})", "{x}.clone().mul_({y})",
    "{x}.new_ones(2)", "torch.ones(2, 3).mul_({x})", "{x} > {y}", "{x} == {x}", "{x}.argmax()", "{x}.isnan()",
    "{x}.clone().fill_({y})", "{x}.scatter({dim}, torch.zeros_like({x}, dtype=torch.long), {y})",
    "{x}.index_add({dim}, torch.tensor([0]), {y})", "torch.zeros(2, 3).index_put((torch.tensor([0]),), {x})",
    "{x}.type_as({y})", "torch.hstack([{x}, {y}])", "{x}.numel() * {x}", "{x}.abs().sqrt()",
    "({x} * {y}).sum()", "({x} ** 2).sum()", "{x}.sum() / {x}.numel()", "torch.tensor([{x}.sum().item()])",
    "torch.utils.checkpoint.checkpoint(lambda x: x.exp() * x, {x}, use_reentrant=False)",
)  # fmt: skip
WEIGHTED["value"] = 34, tuple("{new} = " + each for each in VALUES)

VIEWS = (
    "{x}[0]", "{x}[-1]", "{x}[:, 1]", "{x}[0, 1]", "{x}[1:]", "{x}[:, ::2]", "{x}[...]", "{x}[None]", "{x}[:]",
    "{x}[..., 0]", "{x}[()]", "{x}.t()", "{x}.T", "{x}.mT", "{x}.view(-1)", "{x}.view(3, 2)", "{x}.reshape(-1)",
    "{x}.reshape(3, 2)", "{x}.flatten()", "{x}.ravel()", "{x}.transpose(0, -1)", "{x}.unsqueeze({dim})",
    "{x}.squeeze()", "{x}.squeeze({dim})", "{x}.permute(1, 0)", "{x}.movedim(0, -1)", "{x}.diagonal()",
    "{x}.narrow({dim}, 0, 1)", "{x}.select({dim}, 0)", "{x}.unfold({dim}, 1, 1)", "{x}.split(1)[0]",
    "{x}.split(1, {dim})[-1]", "{x}.unbind()[0]", "{x}.unbind({dim})[-1]", "{x}.chunk(2)[0]", "{x}.chunk(2, {dim})[-1]",
    "{x}.view_as({x})", "{x}.reshape_as({y})", "{x}.as_strided((2,), (1,))", "{x}.as_strided((2, 2), (2, 1))",
    "{x}.as_strided((2,), (2,), 1)", "{x}.expand(2, 3)", "{x}.expand_as({y})", "{x}.expand(2, *{x}.shape)",
    "{x}.detach()", "{x}.data", "{x}.unflatten(0, (1, -1))", "torch.atleast_2d({x})", "torch.movedim({x}, 0, -1)",
    "torch.broadcast_to({x}, (2, 3))", "{x}.view(2, -1)[0]", "{x}.detach().requires_grad_()", "{x}.tensor_split(2)[0]",
    "{x}.view({x}.shape)", "{x}.swapaxes(0, -1)", "torch.broadcast_tensors({x}, {y})[0]", "{x}._base",
)  # fmt: skip
WEIGHTED["view"] = 18, tuple("{new} = " + each for each in VIEWS)

WEIGHTED["change"] = 20, (
    "{x}.{unary_}()", "{x}.{unary_}()", "{x}.{binary_}_({y})", "{x}.{binary_}_({n})", "{x} {op}= {y}", "{x} {op}= {n}",
    "{x}.zero_()", "{x}.fill_({n})", "{x}.fill_({s})", "{x}.copy_({y})", "{x}.copy_({y})", "{x}[0] = {n}",
    "{x}[0] = {y}[0]", "{x}[0] = {s}", "{x}[:, 0] = {n}", "{x}[...] = {y}", "{x}[{x} > {n}] = {n2}", "{x}[[0]] = {n}",
    "{x}[0] += {n}", "{x}[0] *= {y}[0]", "{x}[-1].{unary_}()", "{x}.view(-1)[0] = {n}", "{x}.t().mul_({n})",
    "{x}.masked_fill_({x} > {n}, {n2})", "{x}.index_put_((torch.tensor([0]),), {s})", "{x}.clamp_({n}, {n2})",
    "{x}.clamp_(min={n})", "{x}.add_({y}, alpha={n})", "{x}.addcmul_({y}, {y})", "{x}.addcdiv_({y}, {y}, value=2)",
    "{x}.cumsum_({dim})", "{x}.tril_()", "{x}.triu_()", "{x}.lerp_({y}, {n})", "{x}.detach_()", "{x}.detach_()",
    "{x}.requires_grad_()", "{x}.requires_grad_(False)", "{x}.requires_grad = True", "{x}.requires_grad = False",
    "{x}.data = {y}.data", "{x}.data.mul_(2)", "{x}.data = {x}.data * 2", "{x}.detach().zero_()",
    "{x}.detach().add_(1)",
    "{x}.index_add_({dim}, torch.tensor([0]), {y})", "{x}.scatter_({dim}, torch.tensor([[0]]), {n})",
    "{x}.index_fill_({dim}, torch.tensor([0]), {n})", "{x}.unbind()[0].{unary_}()", "{x}.split(1)[0].add_({n})",
    "{x}.copy_({x})", "{x}.mul_({x})", "{x}.add_({x}.t())", "torch.autograd.graph.increment_version({x})",
    "{x}.pow_({n})", "{x}.relu_()", "{x}.sub_({y}, alpha=2)", "{x}.squeeze().add_(1)", "del {x}", "{x} = {x} * {n}",
    "{x} = {x}.detach()", "{x}[0].copy_({y}[0])", "{x}.grad = {y}", "{x}.grad = None", "{x}.grad.zero_()",
    "{x}.grad.mul_({n})", "{x}.grad = torch.ones_like({x})", "{x}.expand(2, 3).add_(1)", "{x}.exp_().log_()",
    "torch.nn.functional.relu({x}, inplace=True)", "{x}.{compare}_({y})", "{x}.floor_divide_({n})",
)  # fmt: skip

HOOKS = (
    "lambda g: show('{new}', g)", "lambda g: show('{new}', g)", "lambda g: g * 2", "lambda g: g + {x0}",
    "lambda g: None",
    "lambda g: g.mul_(2)", "lambda g: g.sum()", "lambda g: 1.0", "lambda g: 1 / 0", "lambda g: {new}.remove()",
    "lambda g: g.clone()", "lambda g: g.double()", "lambda g: show('{new}', g.requires_grad, torch.is_grad_enabled())",
    "lambda g: torch.zeros_like(g)", "lambda g: {r0}.register_hook(lambda h: show('late', h)) and None",
)  # fmt: skip
NODE_HOOKS = (
    "lambda gi, go: show('{new}', gi, go)", "lambda gi, go: tuple(g if g is None else g * 2 for g in gi)",
    "lambda gi, go: (None,)", "lambda gi, go: gi[0]", "lambda gi, go: {new}.remove()", "lambda gi, go: ()",
)  # fmt: skip
NODE_PREHOOKS = (
    "lambda go: show('{new}', go)", "lambda go: tuple(g if g is None else g * 2 for g in go)", "lambda go: go[0]",
    "lambda go: (None,)", "lambda go: {new}.remove()",
)  # fmt: skip
WEIGHTED["hook"] = 12, (
    *(f"{{new}} = {{r}}.register_hook({each})" for each in HOOKS),
    *(f"{{new}} = {{r}}.grad_fn.register_hook({each})" for each in NODE_HOOKS),
    *(f"{{new}} = {{r}}.grad_fn.register_prehook({each})" for each in NODE_PREHOOKS),
    "{r}.retain_grad()", "{r}.retain_grad()", "{r}.retain_grad()", "{x}.retain_grad()", "{handle}.remove()",
    "{new} = {r}.register_post_accumulate_grad_hook(lambda p: show('{new}', p, p.grad))",
    "{new} = {r}.register_post_accumulate_grad_hook(lambda p: setattr(p, 'grad', None))",
    "{new} = torch.autograd.graph.register_multi_grad_hook([{r}, {r2}], lambda gs: show('{new}', gs))",
    "{new} = torch.autograd.graph.register_multi_grad_hook([{r}, {r2}], lambda g: show('{new}', g), mode='any')",
    "n{new} = {r}.view_as({r}).grad_fn.next_functions[0][0]; "
    "{new} = n{new}.register_hook(lambda gi, go: show('{new}', gi, go))",
    "n{new} = {r}.view_as({r}).grad_fn.next_functions[0][0]; "
    "{new} = n{new}.register_prehook(lambda go: show('{new}', go))",
    "{new} = {r}.register_hook(lambda g: ({r2} * 1).sum().backward())",
)  # fmt: skip

WEIGHTED["backward"] = 16, (
    "{r}.sum().backward()", "{r}.sum().backward()", "{r}.sum().backward(retain_graph=True)", "{r}.backward()",
    "{r}.backward(torch.ones_like({r}))", "{r}.backward({x}.clone().detach())", "({r} * {x}).sum().backward()",
    "({r} ** 2).sum().backward(create_graph=True)", "{r}.sum().backward(inputs=[{r2}])",
    "{r}.exp().sum().backward(inputs=[{r2}, {r3}], retain_graph=True)",
    "{r}.backward(gradient={y}.clone().detach(), retain_graph=True)",
    "torch.autograd.backward([{r}.sum(), {r2}.sum()])", "torch.autograd.backward({r}, torch.full_like({r}, {n}))",
    "torch.autograd.backward([{r}, {r2}], [torch.ones_like({r}), None], retain_graph=True)",
    "show(torch.autograd.grad({r}.sum(), {r2}))",
    "show(torch.autograd.grad({r}.sum(), [{r2}, {r3}], allow_unused=True))",
    "{new} = torch.autograd.grad({r}.sum(), {r2}, create_graph=True)[0].clone()",
    "{new} = torch.autograd.grad({r}.sum(), {r2}, create_graph=True)[0].clone()",
    "{new} = torch.autograd.grad(({r} ** 2).sum(), {r2}, create_graph=True, allow_unused=True)[0].clone()",
    "{new} = torch.autograd.grad(({r} * {x}).sum(), {r}, create_graph=True)[0].clone()",
    "{new} = torch.autograd.grad({r}, {r2}, {x}.clone().detach(), retain_graph=True, "
    "materialize_grads=True)[0].clone()",
    "{new} = torch.autograd.grad({r}, {r2}, torch.ones(2, *{r}.shape), is_grads_batched=True, "
    "retain_graph=True)[0].clone()",
    "{new} = torch.autograd.grad({r}.sum(), {r}, retain_graph=True)[0].clone()",
    "show({r}.grad_fn(torch.ones_like({r})))", "show(torch.autograd.grad([{r}.sum(), {r2}.sum()], [{r}, {r3}]))",
    "show(torch.autograd.grad(torch.autograd.graph.get_gradient_edge({r}), {r2}, torch.ones_like({r})))",
    "torch.autograd.backward(torch.autograd.graph.get_gradient_edge({r}), torch.ones_like({r}))",
    "in_thread(lambda: {r}.sum().backward())", "in_thread(lambda: show(torch.is_grad_enabled(), {x} * 2))",
    "with torch.autograd.set_grad_enabled(False): {r}.sum().backward()",
    "with torch.autograd.set_multithreading_enabled(False): {r}.sum().backward()",
    "show(torch.autograd.functional.vjp(lambda x: x * {n} + x ** 2, {x}, {x}))",
    "show(torch.autograd.functional.jacobian(lambda x: (x * {n}).sum() * x, {x}))",
    "show(torch.func.grad(lambda x: (x ** 2).sum())({r}))", "show(torch.func.vjp(torch.sin, {r})[1]({y}))",
)  # fmt: skip

SAVING = (
    "{new} = {x} * {y}", "{new} = {x}.exp()", "{new} = {x} ** 2", "{new} = {x}.tanh() * {y}", "{new} = {x} / {y}",
    "{new} = {x} @ {y}", "{new} = {x}.sum() * 2", "{new} = torch.where({x} > 0, {x}, {y})", "{x}.mul_({y})",
    "{new} = {x}.max(0)[0]", "{new} = torch.addcmul({x}, {x}, {y})", "{new} = {x} ** {y}", "{x}.exp_()",
)  # fmt: skip
PACKING = (
    "lambda t: (show('pack', t), t.detach())[1], lambda t: (show('unpack'), t)[1]",
    "lambda t: (t.tolist(), t.dtype), lambda pair: torch.tensor(pair[0], dtype=pair[1])",
    "lambda t: t.clone(), lambda t: t", "lambda t: t, lambda t: t",
    "lambda t: t, lambda t: None", "lambda t: 1 / 0, lambda t: t",
    "lambda t: t.clone(), lambda t: t * 2",
)  # fmt: skip
WEIGHTED["saved"] = 5, (
    *(f"with torch.autograd.graph.saved_tensors_hooks({p}): {s}" for p in PACKING for s in SAVING
      if "new" in s or "t: t, lambda t: t" in p),
    *(f"with torch.autograd.graph.save_on_cpu(): {each}" for each in SAVING),
    *(f"{{r}}.grad_fn._raw_saved_{n}.register_hooks({p})" for p in PACKING[:4] for n in ("self", "other", "result")),
    *(f"with torch.autograd.graph.disable_saved_tensors_hooks('none'): {each}" for each in SAVING[:3]),
    *(f"with torch.autograd.graph.allow_mutation_on_saved_tensors(): {each}" for each in SAVING),
)  # fmt: skip

WEIGHTED["look"] = 8, (
    "show({t})", "show({t})", "show({r}.grad)", "show({t}.grad_fn)", "show({t}.is_leaf)", "show({x}.item())",
    "show(bool({t}))", "show(float({x}))", "show({t}._version)", "show({t}.tolist())", "show({r}.grad_fn._saved_self)",
    "show({r}.grad_fn._saved_other)", "show({r}.grad_fn._saved_result)", "show({x}.numpy())", "show(len({t}))",
    "show({r}.grad_fn.next_functions)", "show({t}._base is {x})", "show([t * 2 for t in {x}])", "show({t}.shape)",
    "show({t}.stride(), {t}.is_contiguous(), {t}.storage_offset())", "show({x}.grad)", "show({r}.output_nr)",
    "{r}.grad_fn.metadata['note'] = 1; show({r}.grad_fn.metadata)", "show({t}.is_inference())",
    "show({t}.requires_grad)",
    "show(torch.equal({x}, {y}))", "show({x} is {x}.contiguous())", "show({t}.type())",
    "show({x}.detach().numpy().shape)",
)  # fmt: skip

MODES = (
    "torch.no_grad()", "torch.no_grad()", "torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(False)",
    "torch.inference_mode()", "torch.inference_mode()", "torch.no_grad(), torch.enable_grad()",
    "torch.inference_mode(), torch.enable_grad()", "torch.inference_mode(False)",
)  # fmt: skip
IN_MODE = 0.1  # how many lines stand in one of these

OPERATORS = "+ - * /".split()
COMPARISONS = "gt lt eq ne ge le".split()
PLACE = re.compile(r"\{(\w+)\}")


class Writer:
    """Writes one program; *random* makes the choices, as ``random.Random`` or as hypothesis's."""

    def __init__(self, random, torch, attributes):
        self.random = random
        self.side = Side(torch, attributes)
        self.lines = []
        self.made = 0

    def program(self, length):
        for template in ("{new} = torch.tensor({data}, requires_grad=True)", "{new} = {x} * {n}"):
            self.add(template)
        kinds = list(WEIGHTED) + ["function"]
        weights = [weight for weight, _ in WEIGHTED.values()] + [5]
        while len(self.lines) < length:
            (kind,) = self.random.choices(kinds, weights)
            if kind == "function":
                self.function()
            else:
                self.add(self.random.choice(WEIGHTED[kind][1]))
        return self.lines

    def add(self, template):
        line = self.filled(template)
        if line is None:
            return
        if not line.startswith("with") and self.random.random() < IN_MODE:
            mode = self.random.choice(MODES)
            if "inference" not in mode or "requires_grad" not in line and ".apply" not in line:
                line = f"with {mode}: {line}"
        self.write(line)

    def write(self, line):
        if would_crash(self.side, line):
            return
        self.lines.append(line)
        self.side.step(line)

    def function(self):
        name = self.random.choice(list(FUNCTIONS))
        definition, uses = FUNCTIONS[name]
        if definition not in self.lines:
            self.write(definition)
        self.add("{new} = " + self.random.choice(uses))

    # -- places ----------------------------------------------------------------------------------------------------

    def filled(self, template):
        """The template with its places filled in, or None when the program has nothing for one of them."""
        self.bound, self.tensors = {}, self.side.tensors()
        try:
            return PLACE.sub(self.place, template)
        except LookupError:
            return None

    def place(self, match):
        name = match[1]
        if name not in self.bound:
            fill = getattr(self, "fill_" + name.rstrip("0123456789"))
            self.bound[name] = fill()
        return self.bound[name]

    def among(self, condition=lambda each: True):
        """A variable whose tensor meets the condition, the later ones rather."""
        found = [name for name, each in self.tensors.items() if condition(each)]
        if not found:
            raise LookupError
        return self.random.choice(found[-4:] if self.random.random() < 0.6 else found)

    def fill_t(self):
        return self.among()

    def fill_x(self):
        return self.among(lambda each: each.is_floating_point())

    def fill_r(self):
        return self.among(lambda each: each.requires_grad)

    def fill_m(self):
        return self.among(lambda each: each.is_floating_point() and each.ndim == 2)

    def fill_s(self):
        return self.among(lambda each: each.is_floating_point() and each.numel() == 1)

    def fill_y(self):
        """A partner of x: of its shape, or one that broadcasts to it, or just any."""
        first = self.tensors[self.bound.get("x") or self.bound.get("m") or self.bound.get("r") or self.fill_x()]
        kind = self.random.random()
        if kind < 0.1:
            return self.fill_x()
        return self.among(lambda each: each.is_floating_point() and (
            each.shape == first.shape if kind < 0.6 else fits(each.shape, first.shape)))

    def fill_dim(self):
        first = self.tensors[self.bound.get("x") or self.fill_x()]
        return str(self.random.choice((*range(-first.ndim, first.ndim), 0, -1, first.ndim) if self.random.random() < 0.2
                                      else range(-first.ndim, first.ndim) or (0,)))  # fmt: skip

    def fill_new(self):
        self.made += 1
        return f"v{self.made}"

    def fill_handle(self):
        found = [name for name, each in self.side.space.items() if hasattr(each, "remove") and name.startswith("v")]
        if not found:
            raise LookupError
        return self.random.choice(found)

    def fill_data(self):
        shape = eval(f"({self.random.choice(SHAPES)},)".replace("(,", "("))
        values = iter(self.random.sample((0.5, -1.0, 2.0, 3.0, 0.25, -2.0, 1.5, 0.75, -0.5, 4.0, 1.25, -3.0), 12))

        def nested(shape):
            return [nested(shape[1:]) for _ in range(shape[0])] if shape else next(values)

        return str(nested(shape))

    def fill_shape(self):
        return self.random.choice(SHAPES[1:10])

    def fill_n(self):
        return self.random.choice(NUMBERS)

    def fill_op(self):
        return self.random.choice(OPERATORS)

    def fill_unary(self):
        return self.random.choice(UNARY)

    def fill_unary_(self):
        return self.random.choice([name for name in UNARY if name != "asinh"]) + "_"

    def fill_binary(self):
        return self.random.choice(BINARY)

    def fill_binary_(self):
        return self.random.choice("add sub mul div pow atan2 hypot fmod".split())

    def fill_reduction(self):
        return self.random.choice(REDUCTIONS)

    def fill_compare(self):
        return self.random.choice(COMPARISONS)


def fits(shape, other):
    """Whether a tensor of this shape broadcasts to the other."""
    lead = len(other) - len(shape)
    return lead >= 0 and all(n in (1, m) for n, m in zip(shape, other[lead:], strict=True))

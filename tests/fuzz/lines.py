"""The lines that random programs are made of: by kind, its weight and its templates.

A place such as ``{x}`` stands for one variable throughout a line; grammar.py says which.
"""

UNARY = (
    "exp log sqrt sin cos tan tanh sigmoid relu abs neg reciprocal rsqrt square exp2 log2 log10 log1p expm1 erf asin "
    "acos atan sinh cosh sgn sign trunc ceil floor round positive isfinite logical_not"
).split()
BINARY = (
    "add sub mul div maximum minimum pow remainder logical_and true_divide"
).split()
BINARY_ = "add sub mul div pow remainder".split()
REDUCTIONS = (
    "sum mean amax amin prod logsumexp var std cumsum cumprod max min norm softmax log_softmax sort median argmax "
    "argmin all any flip argsort"
).split()
FUNCTIONAL = "relu leaky_relu sigmoid tanh".split()
LOSSES = "mse_loss l1_loss binary_cross_entropy_with_logits".split()
SHAPES = ("", "1", "2", "3", "2, 3", "3, 2", "2, 2", "1, 3", "2, 1, 3", "2, 2, 2")
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
    "{x}.{unary}()", "torch.{unary}({x})", "{x} {op} {y}", "{x} {op} {y}", "{x} {op} {n}", "{n} {op} {x}",
    "{x} {op} {x}", "torch.{binary}({x}, {y})", "{x}.{binary}({y})", "-{x}", "{x} ** {n}", "{n} ** {x}",
    "({x}.abs() + 1) ** {y}", "{x}.pow({n})", "torch.pow({n}, {x})", "{x}.add({y}, alpha=2)",
    "torch.sub({x}, {y}, alpha=2)", "torch.add({x}, {n}, alpha=2)", "{x}.add({n})",
    "torch.where({x} > {n}, {x}, {y})", "torch.where({x} > {n}, {x}, {n})", "{x}.clamp(min={n})",
    "{x}.clamp({n}, {n2})", "{x}.clamp(max={n})", "{x}.masked_fill({x} > {n}, {n2})", "torch.lerp({x}, {y}, {n})",
    "torch.addcmul({x}, {y}, {x})", "torch.addcdiv({x}, {y}, {x}, value=2)", "{x}.sum()", "{x}.mean()",
    "{x}.{reduction}({dim})", "{x}.sum({dim}, keepdim=True)", "{x}.mean(dim={dim}, keepdim=True)", "{x}.sum(dim=None)",
    "{x}.mean(dim=None)", "{x}.sum(())", "{x}.mean((0, -1))", "{x}.sum((0, 1))", "{x}.prod()", "{x}.max()",
    "{x}.min()", "{x}.var()", "{x}.std(unbiased=False)", "{x}.norm()", "{x}.norm(1)", "{x}.amax()",
    "{x}.amin(({dim},))", "{x}.max({dim}).values", "{x}.min({dim})[0]", "{x}.sort({dim})[0]", "{x}.topk(1, {dim})[0]",
    "{x}.median()", "{x}.logsumexp({dim})", "torch.softmax({x}, {dim})", "{x}.log_softmax({dim})", "{x}.cumsum({dim})",
    "{x} @ {y}", "{x} @ {x}.t()", "torch.mm({m}, {m2})", "{x}.dot({x})", "torch.mv({m}, {y})", "torch.outer({x}, {y})",
    "torch.bmm({x}, {y})", "torch.einsum('ij,ij->i', {m}, {m})", "torch.addmm({y}, {m}, {m2})",
    "torch.cat([{x}, {y}])", "torch.cat([{x}, {x}], {dim})", "torch.stack([{x}, {y}])", "torch.stack([{x}, {x}], -1)",
    "{x}[[0, 0]]", "{x}[{x} > {n}]", "{x}[torch.tensor([0])]", "{x}.index_select({dim}, torch.tensor([0, 0]))",
    "{x}.gather({dim}, torch.zeros_like({x}, dtype=torch.long))", "{x}.masked_select({x} > {n})", "{x}.flip(0)",
    "{x}.roll(1, {dim})", "{x}.repeat(2)", "{x}.tril()", "{x}.triu(1)", "{x}.diag()", "{x}.trace()", "{x}.clone()",
    "{x}.contiguous()", "{x}.double()", "{x}.float()", "{x}.to(torch.float64)", "{x}.to({y}.dtype)", "{x}.long()",
    "{x}.expand(2, 2, 3) * 1", "torch.nn.functional.{loss}({x}, {y})", "torch.nn.functional.{functional}({x})",
    "torch.nn.functional.{loss}({x}, {y}, reduction='none')", "torch.nn.functional.{loss}({x}, {y}, reduction='sum')",
    "torch.nn.functional.linear({m}, {m2})",
    "{x}.div({y}, rounding_mode=None)", "{x}.div({n}, rounding_mode='floor')", "torch.zeros_like({x}).copy_({x})",
    "{x}.clone().mul_({y})", "{x}.new_ones(2)", "torch.ones(2, 3).mul_({x})", "{x} > {y}", "{x} == {x}",
    "{x}.argmax()", "{x}.isnan()", "{x}.clone().fill_({y})",
    "{x}.scatter({dim}, torch.zeros_like({x}, dtype=torch.long), {y})", "{x}.index_add({dim}, torch.tensor([0]), {y})",
    "torch.zeros(2, 3).index_put((torch.tensor([0]),), {x})", "{x}.type_as({y})", "torch.hstack([{x}, {y}])",
    "{x}.numel() * {x}", "{x}.abs().sqrt()", "({x} * {y}).sum()", "({x} ** 2).sum()", "{x}.sum() / {x}.numel()",
    "torch.tensor([{x}.sum().item()])", "{x}.scatter_add({dim}, torch.zeros_like({x}, dtype=torch.long), {y})",
    "{m}.det()", "torch.linalg.norm({m})", "torch.linalg.solve({m}, {y})", "torch.linalg.vector_norm({x}, {n})",
    "torch.nn.functional.layer_norm({m}, {m}.shape[-1:], {m}[0])",
    "torch.nn.functional.cross_entropy({m}, torch.tensor([0, 1]))", "torch.nn.functional.dropout({x}, 0.)",
    "torch.nn.functional.nll_loss({m}, torch.tensor([0, 1]))", "torch.nn.LayerNorm(3)({x})", "torch.nn.Flatten()({x})",
    "torch.nn.Sequential(torch.nn.Tanh(), torch.nn.Softmax(-1))({x})", "torch.nn.Parameter({x}.detach())",
    "__import__('copy').deepcopy({x})", "torch.vstack([{x}, {y}])", "{x} % {y}",
    "{x} % {n}", "{n} % {x}", "{x}.half().float()", "{x}.round(decimals=1)", "abs({x})",
    "{x}.sum(dtype=torch.float64)", "{x}.tolist() and {x}", "torch.stack([{x}, {y}], {dim})",
    "torch.cat([{x}, {y}], {dim})", "torch.cat([{x}, {y}, {x}], -1)", "{x}.mean({dim}, True)",
    "torch.where({x} > {n}, {n}, {y})", "torch.where({y} > {x}, {x} / {y}, 0.)",
    "{x}.where({y} > {n}, {y})", "{x}.max({dim}, keepdim=True)[0]", "{x}.sort({dim}, descending=True)[0]",
    "{x}.sort(stable=True)[0]", "{x}.var({dim}, correction=0)", "{x}.std({dim}, keepdim=True)", "{x}.norm(dim={dim})",
    "{x}.norm(p=float('inf'))", "{x}.prod({dim}, keepdim=True)", "{x}.cumsum({dim}).flip(0)",
    "torch.einsum('ij,kj->ik', {m}, {m2})", "torch.einsum('...i,...i->...', {x}, {y})", "{x}[{x}.argmax()]",
    "{x}[..., [0, 0]]", "{x}[torch.tensor([True, False])]", "{x}[:, [0, 1]][0]", "{x}[0, ..., None]", "{x}[[0], [0]]",
    "{x}[torch.tensor([0]), 0:1]", "torch.no_grad()(lambda: {x} * 2)()", "torch.enable_grad()(lambda: {x} * 2)()",
)  # fmt: skip
WEIGHTED["value"] = 34, tuple("{new} = " + each for each in VALUES)

VIEWS = (
    "{x}[0]", "{x}[-1]", "{x}[:, 1]", "{x}[0, 1]", "{x}[1:]", "{x}[:, ::2]", "{x}[...]", "{x}[None]", "{x}[:]",
    "{x}[..., 0]", "{x}[()]", "{x}.t()", "{x}.T", "{x}.mT", "{x}.view(-1)", "{x}.view(3, 2)", "{x}.reshape(-1)",
    "{x}.reshape(3, 2)", "{x}.flatten()", "{x}.ravel()", "{x}.transpose(0, -1)", "{x}.unsqueeze({dim})",
    "{x}.squeeze()", "{x}.squeeze({dim})", "{x}.permute(1, 0)", "{x}.diagonal()",
    "{x}.narrow({dim}, 0, 1)", "{x}.select({dim}, 0)", "{x}.split(1)[0]", "{x}.split(1, {dim})[-1]", "{x}.unbind()[0]",
    "{x}.unbind({dim})[-1]", "{x}.chunk(2)[0]", "{x}.chunk(2, {dim})[-1]", "{x}.view_as({x})", "{x}.expand(2, 3)",
    "{x}.expand_as({y})", "{x}.expand(2, *{x}.shape)", "{x}.detach()", "{x}.data",
    "torch.broadcast_to({x}, (2, 3))", "{x}.view(2, -1)[0]",
    "{x}.detach().requires_grad_()", "torch.nn.Dropout(0.)({x})", "{x}.requires_grad_()", "{x}.view({x}.shape)",
    "{x}.split([1, 1])[1]", "{x}.squeeze((0, -1))", "{x}.narrow(0, 1, 1)", "{x}.view(1, -1)",
    "{x}.diagonal(1)", "{x}[1:, None]", "{x}[-1:]", "{x}[0].t()", "{x}.to({x})", "{x}.grad", "{x}.swapaxes(0, -1)",
    "{x}._base",
)  # fmt: skip
WEIGHTED["view"] = 18, tuple("{new} = " + each for each in VIEWS)

WEIGHTED["change"] = 20, (
    "{x}.{unary_}()", "{x}.{unary_}()", "{x}.{binary_}_({y})", "{x}.{binary_}_({n})", "{x} {op}= {y}", "{x} {op}= {n}",
    "{x}.zero_()", "{x}.fill_({n})", "{x}.fill_({s})", "{x}.copy_({y})", "{x}.copy_({y})", "{x}[0] = {n}",
    "{x}[0] = {y}[0]", "{x}[0] = {s}", "{x}[:, 0] = {n}", "{x}[...] = {y}", "{x}[{x} > {n}] = {n2}", "{x}[[0]] = {n}",
    "{x}[0] += {n}", "{x}[0] *= {y}[0]", "{x}[-1].{unary_}()", "{x}.view(-1)[0] = {n}", "{x}.t().mul_({n})",
    "{x}.masked_fill_({x} > {n}, {n2})", "{x}.index_put_((torch.tensor([0]),), {s})", "{x}.clamp_({n}, {n2})",
    "{x}.clamp_(min={n})", "{x}.add_({y}, alpha=2)", "{x}.addcmul_({y}, {y})", "{x}.addcdiv_({y}, {y}, value=2)",
    "{x}.cumsum_({dim})", "{x}.tril_()", "{x}.triu_()", "{x}.lerp_({y}, {n})", "{x}.detach_()", "{x}.detach_()",
    "{x}.requires_grad_()", "{x}.requires_grad_(False)", "{x}.requires_grad = True", "{x}.requires_grad = False",
    "{x}.data = {y}.data", "{x}.data.mul_(2)", "{x}.data = {x}.data * 2", "{x}.detach().zero_()",
    "{x}.detach().add_(1)", "{x}.index_add_({dim}, torch.tensor([0]), {y})",
    "{x}.scatter_({dim}, torch.tensor([[0]]), {n})", "{x}.unbind()[0].{unary_}()", "{x}.split(1)[0].add_({n})",
    "{x}.copy_({x})", "{x}.mul_({x})", "{x}.add_({x}.t())", "torch.autograd.graph.increment_version({x})",
    "{x}.pow_({n})", "{x}.relu_()", "{x}.sub_({y}, alpha=2)", "{x}.squeeze().add_(1)", "del {x}", "{x} = {x} * {n}",
    "{x} = {x}.detach()", "{x}[0].copy_({y}[0])", "{x}.grad = {y}", "{x}.grad = None", "{x}.grad.zero_()",
    "{x}.grad.mul_({n})", "{x}.grad = torch.ones_like({x})", "{x}.expand(2, 3).add_(1)", "{x}.exp_().log_()",
    "torch.nn.functional.relu({x}, inplace=True)", "{x}.t_()", "{x}.transpose_(0, -1)", "{x}.squeeze_({dim})",
    "{x}.unsqueeze_({dim})", "{x}.swapaxes_(0, -1)", "{x}.cumprod_({dim})", "{m}.addmm_({m}, {m2})",
    "{x}.scatter_add_({dim}, torch.zeros_like({x}, dtype=torch.long), {y})",
    "{x}.scatter_({dim}, torch.zeros_like({x}, dtype=torch.long), {y})",
    "{x}.masked_fill_({x} > {n}, {s})",
    "{x}.index_put_((torch.tensor([0]),), {s}, accumulate=True)", "{x}.round_(decimals=1)",
    "{x}.div_({n}, rounding_mode='trunc')", "torch.nn.functional.relu({x}, inplace=True)", "{x} **= {n}",
    "{x} **= {y}", "{x} %= {n}", "{x} @= {y}", "{x}[{x} > {n}] += {y}", "{x}[..., -1] = {y}", "{x}[[0, 0]] += {y}",
    "{x}[{x} < {n}] *= {n2}", "{x}[0], {x}[-1] = {x}[-1], {x}[0]", "{x}[torch.tensor([0])] = {y}",
    "{x}.unbind({dim})[0].mul_({n})", "{x}.T[0] = {n}", "{x}[1:].copy_({x}[:-1])", "{x}.data.copy_({y})",
    "{x}.data[0] = {n}", "{x}.detach()[0] = {n}", "{x}.diagonal().fill_({n})",
    "with torch.no_grad(): {x} -= 0.1 * {x}.grad", "with torch.no_grad(): {x}.grad *= {n}", "{x}.set_data = {n}",
    "torch.nn.utils.clip_grad_norm_([{r}, {r2}], {n})", "torch.nn.utils.clip_grad_norm_([{r}], 0.5)", "{o}.step()",
    "{o}.step()", "{o}.zero_grad()", "{o}.zero_grad(set_to_none=False)",
    "{new} = torch.optim.SGD([{r}], lr=0.1, momentum=0.9)", "{new} = torch.optim.Adam([{r}, {r2}], lr=0.1)",
    "{new} = torch.optim.SGD([{r}], lr=0.5, weight_decay=0.1, nesterov=True, momentum=0.5)",
    "{new} = torch.optim.AdamW([{r}])",
)  # fmt: skip

HOOKS = (
    "lambda g: show('{new}', g)", "lambda g: g * 2", "lambda g: g + {x0}", "lambda g: None", "lambda g: g.mul_(2)",
    "lambda g: g.sum()", "lambda g: 1.0", "lambda g: 1 / 0", "lambda g: {new}.remove()", "lambda g: g.clone()",
    "lambda g: g.double()", "lambda g: show('{new}', g.requires_grad, torch.is_grad_enabled())",
    "lambda g: torch.zeros_like(g)", "lambda g: g[0]", "lambda g: g.detach_()", "lambda g: g.requires_grad_() * 2",
    "lambda g: show('{new}', g.is_leaf, g.grad_fn) or g.exp()", "lambda g: {x0}.mul_(2) and None", "lambda g: {x0}",
    "lambda g: {r0}.register_hook(lambda h: show('late', h)) and None",
)  # fmt: skip
NODE_HOOKS = (
    "lambda gi, go: show('{new}', gi, go)", "lambda gi, go: tuple(g if g is None else g * 2 for g in gi)",
    "lambda gi, go: gi[0]", "lambda gi, go: {new}.remove()",
    "lambda gi, go: go", "lambda gi, go: 1 / 0",
)  # fmt: skip
NODE_PREHOOKS = (
    "lambda go: show('{new}', go)", "lambda go: tuple(g if g is None else g * 2 for g in go)", "lambda go: go[0]",
    "lambda go: (None,)", "lambda go: {new}.remove()",
)  # fmt: skip
WEIGHTED["hook"] = 12, (
    *(f"{{new}} = {{r}}.register_hook({each})" for each in HOOKS),
    *(f"{{new}} = {{r}}.grad_fn.register_hook({each})" for each in NODE_HOOKS),
    *(f"{{new}} = {{r}}.grad_fn.register_prehook({each})" for each in NODE_PREHOOKS),
    *(f"{{new}} = {{r}}.register_post_accumulate_grad_hook({each})" for each in (
        "lambda p: p.grad.mul_(2) and None", "lambda p: p", "lambda p: 1 / 0", "lambda p: {new}.remove()")),
    "m{new} = torch.nn.ReLU(); m{new}.register_forward_hook(lambda m, i, o: o * 2); {new} = m{new}({x})",
    "m{new} = torch.nn.Tanh(); m{new}.register_forward_pre_hook(lambda m, i: (i[0] * 2,)); {new} = m{new}({x})",
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
    "{new} = torch.autograd.grad({r}.sum(), {r}, retain_graph=True)[0].clone()",
    "show({r}.grad_fn(torch.ones_like({r})))", "show(torch.autograd.grad([{r}.sum(), {r2}.sum()], [{r}, {r3}]))",
    "show(torch.autograd.grad(torch.autograd.graph.get_gradient_edge({r}), {r2}, torch.ones_like({r})))",
    "torch.autograd.backward(torch.autograd.graph.get_gradient_edge({r}), torch.ones_like({r}))",
    "in_thread(lambda: {r}.sum().backward())", "in_thread(lambda: show(torch.is_grad_enabled(), {x} * 2))",
    "with torch.autograd.set_grad_enabled(False): {r}.sum().backward()",
    "show(torch.autograd.functional.vjp(lambda x: x * {n} + x ** 2, {x}, {x}))",
    "show(torch.autograd.functional.jacobian(lambda x: (x * {n}).sum() * x, {x}))",
    "show(torch.autograd.functional.hessian(lambda x: (x ** 3).sum() * {n}, {x}))",
    "show(torch.autograd.functional.hvp(lambda x: x.tanh().sum(), {x}, {x}))",
    "show(torch.autograd.functional.vhp(lambda x: (x * {y}).sin().sum(), {x}, {x}))",
    "show(torch.autograd.functional.jvp(lambda x: x.sin() * {n}, {x}, {y}))",
    "show(torch.autograd.functional.jacobian(lambda x, y: x * y, ({x}, {y}), create_graph=True))",
    "with torch.autograd.detect_anomaly(): {r}.sum().backward()",
    "with torch.autograd.detect_anomaly(check_nan=False): {r}.log().sum().backward(retain_graph=True)",
    "show(torch.autograd.gradcheck(lambda x: x * x, {x}.detach().double().requires_grad_()))",
    "for step in range(2): ({r} ** 2).sum().backward(retain_graph=True)",
    "{new} = torch.autograd.grad(({r} ** 3).sum(), {r}, create_graph=True)[0]; "
    "show(torch.autograd.grad({new}.sum(), {r}))",
    "(torch.autograd.grad(({r} * {r2}).sum(), {r2}, create_graph=True)[0] ** 2).sum().backward()",
    "torch.autograd.backward([{r}, {r2}], [{x}, {y}], inputs=[{r3}])",
    "show(torch.autograd.grad([{r}, {r2}], {r3}, [{x}, None], allow_unused=True, retain_graph=True))",
    "({r} * {x}).sum().backward(retain_graph=True, create_graph=True)",
)  # fmt: skip

SAVING = (
    "{new} = {x} * {y}", "{new} = {x}.exp()", "{new} = {x} ** 2", "{new} = {x}.tanh() * {y}", "{new} = {x} / {y}",
    "{new} = {x} @ {y}", "{new} = {x}.sum() * 2", "{new} = torch.where({x} > 0, {x}, {y})", "{x}.mul_({y})",
    "{new} = {x}.max(0)[0]", "{new} = torch.addcmul({x}, {x}, {y})", "{new} = {x} ** {y}", "{x}.exp_()",
)  # fmt: skip
PACKING = (
    "lambda t: (show('pack', t), t.detach())[1], lambda t: (show('unpack'), t)[1]",
    "lambda t: (t.tolist(), t.dtype), lambda pair: torch.tensor(pair[0], dtype=pair[1])",
    "lambda t: t.clone(), lambda t: t", "lambda t: t, lambda t: t", "lambda t: t, lambda t: None",
    "lambda t: 1 / 0, lambda t: t", "lambda t: t.clone(), lambda t: t * 2",
)  # fmt: skip
WEIGHTED["saved"] = 5, (
    *(f"with torch.autograd.graph.saved_tensors_hooks({p}): {s}" for p in PACKING for s in SAVING
      if "new" in s or "t: t, lambda t: t" in p),
    *(f"with torch.autograd.graph.save_on_cpu(): {each}" for each in SAVING),
)  # fmt: skip

WEIGHTED["look"] = 8, (
    "show({t})", "show({t})", "show({r}.grad)", "show({t}.grad_fn)", "show({t}.is_leaf)", "show({x}.item())",
    "show(bool({t}))", "show(float({x}))", "show({t}._version)", "show({t}.tolist())",
    "show({r}.grad_fn._saved_self)",
    "show({r}.grad_fn._saved_other)", "show({r}.grad_fn._saved_result)", "show({x}.numpy())", "show(len({t}))",
    "show({r}.grad_fn.next_functions)", "show({t}._base is {x})", "show([t * 2 for t in {x}])", "show({t}.shape)",
    "show({t}.stride(), {t}.is_contiguous(), {t}.storage_offset())", "show({x}.grad)", "show({r}.output_nr)",
    "show({t}.is_inference())",
    "show({t}.requires_grad)", "show(torch.equal({x}, {y}))", "show({x} is {x}.contiguous())", "show({t}.type())",
    "show({x}.detach().numpy().shape)", "show({r}.grad_fn._saved_exponent)",
    "show({r}.grad_fn.name(), {r}.grad_fn is {r}.grad_fn)", "show({t}.is_contiguous())",
    "show({r}.grad_fn.next_functions[0][0].variable is {x})", "show({t} in [{t}])",
    "show(str({x}), format({s}, '.3f'))", "show({t}.dtype, {t}.ndim, {t}.size())", "show({o}.state)",
    "show(torch.allclose({x}, {y}))", "show({x}.grad is None, {x}.retains_grad)",
    "show({x}.equal({y}), ({x} == {y}).all())",
    "show(max({x}), sum({x}))", "show({x}.nonzero())",
    "show(-{x}[0] if len({x}) else 0)",
)  # fmt: skip

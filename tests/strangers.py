"""The microscope on training steps that nobody here wrote.

    python -m tests.strangers --folder build/strangers                   # all, a line each
    python -m tests.strangers --folder build/strangers resnet18 llama    # some; pictures and pages go there

The folder gets a virtual environment with PyTorch and the packages in PACKAGES, from PyPI, and clones of the
repositories in SOURCES, unless they are there. It takes an example's classes and functions and calls them on random
data. Each program runs plain and recorded, in a process of its own. Exit code 1 if one fails. It is not part of the
suite.
"""

import argparse
import ast
import json
import os
import subprocess
import sys
import time
import types
from contextlib import suppress
from pathlib import Path

from tests.tools.house import python_of

HERE = Path(__file__).parent
PACKAGES = "torch==2.13.0 torchvision timm transformers peft lightning opacus ipywidgets anywidget"
SOURCES = "pytorch/examples", "karpathy/nanoGPT", "karpathy/minGPT", "davda54/sam"
PROGRAMS = {}
folder = Path()


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def taken(path, **known):
    """The imports, functions and classes of a source as a namespace, with *known* names beside them."""
    module, kept = types.ModuleType(Path(path).stem), (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    sys.modules[module.__name__] = module  # dataclasses look there
    vars(module).update(known, __file__=str(folder / path))
    for node in ast.parse((folder / path).read_text()).body:
        if isinstance(node, kept):
            with suppress(ImportError):  # parts of code that shows results, or loads data
                exec(compile(ast.Module([node], []), str(folder / path), "exec"), vars(module))
    return module


def training(model, loss_of, optimizer=None):
    """``(run, model)``, where ``run()`` is one step of training and gives the loss."""
    optimizer = optimizer or torch.optim.SGD(model.parameters(), 0.01)

    def run():
        optimizer.zero_grad()
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        return loss

    return run, model


def images(*shape):
    return torch.randn(*shape), torch.randint(0, 10, shape[:1])


def words(*shape, most=50):
    return torch.randint(0, most, shape)


# -- pytorch/examples --------------------------------------------------------------------------------------------------


@program
def mnist():
    x, y = images(4, 1, 28, 28)
    return training(taken("examples/mnist/main.py").Net(), lambda net: F.nll_loss(net(x), y))


@program
def mnist_rnn():
    x, y = images(4, 1, 28, 28)
    return training(taken("examples/mnist_rnn/main.py").Net(), lambda net: F.nll_loss(net(x), y))


@program
def mnist_forward_forward():
    args = types.SimpleNamespace(lr=0.03, threshold=2, epochs=2, log_interval=10)
    module = taken("examples/mnist_forward_forward/main.py", args=args, device="cpu")
    net = module.Net([20, 15, 10])
    x, y = torch.randn(6, 20), torch.randint(0, 10, (6,))
    layers = torch.nn.ModuleList()
    layers._modules.update({str(place): layer for place, layer in enumerate(net.layers)})

    def run():
        net.train(module.overlay_y_on_x(x, y), module.overlay_y_on_x(x, module.get_y_neg(y)))

    return run, layers


@program
def vae():
    module, x = taken("examples/vae/main.py"), torch.rand(4, 1, 28, 28)
    return training(module.VAE(), lambda net: module.loss_function(net(x)[0], x, *net(x)[1:]))


@program
def dcgan():
    module = taken("examples/dcgan/main.py", nz=10, ngf=4, ndf=4, nc=3)
    net = torch.nn.ModuleList([module.Generator(1), module.Discriminator(1)])
    net.apply(module.weights_init)
    noise = torch.randn(2, 10, 1, 1)
    return training(net, lambda net: F.binary_cross_entropy(net[1](net[0](noise)), torch.ones(2)))


def language(net, *others):
    x, y = words(7, 3), words(21)
    return training(net, lambda net: F.nll_loss(
        (found := net(x, *others), found[0] if isinstance(found, tuple) else found)[1].view(21, -1), y))  # fmt: skip


@program
def word_language_lstm():
    net = taken("examples/word_language_model/model.py").RNNModel("LSTM", 50, 12, 12, 2, 0.2, tie_weights=True)
    return language(net, net.init_hidden(3))


@program
def word_language_gru():
    net = taken("examples/word_language_model/model.py").RNNModel("GRU", 50, 12, 12, 2, 0.2)
    return language(net, net.init_hidden(3))


@program
def word_language_transformer():
    return language(taken("examples/word_language_model/model.py").TransformerModel(50, 12, 2, 16, 2, 0.2))


@program
def reinforce():
    policy = taken("examples/reinforcement_learning/reinforce.py").Policy()
    states, rewards = torch.randn(30, 1, 4), torch.randn(30)

    def loss_of(policy):
        logs = []
        for state in states:
            choice = torch.distributions.Categorical(policy(state))
            logs.append(choice.log_prob(choice.sample()))
        return torch.cat([-log * reward for log, reward in zip(logs, rewards, strict=True)]).sum()

    return training(policy, loss_of, torch.optim.Adam(policy.parameters(), 0.01))


@program
def actor_critic():
    policy, states = taken("examples/reinforcement_learning/actor_critic.py").Policy(), torch.randn(10, 4)

    def loss_of(policy):
        chances, values = policy(states)
        return -(chances[:, 0].log() * (1 - values.squeeze().detach())).sum() + F.smooth_l1_loss(
            values, torch.ones(10, 1))  # fmt: skip

    return training(policy, loss_of)


@program
def time_sequence_lbfgs():
    net = taken("examples/time_sequence_prediction/train.py").Sequence().double()
    x, y = torch.randn(2, 3, 20, dtype=torch.float64)
    optimizer = torch.optim.LBFGS(net.parameters(), 0.8, max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = F.mse_loss(net(x), y)
        loss.backward()
        return loss

    return lambda: optimizer.step(closure), net


@program
def siamese():
    net = taken("examples/siamese_network/main.py").SiameseNetwork()
    one, two = torch.randn(2, 2, 1, 64, 64)
    return training(net, lambda net: F.binary_cross_entropy(net(one, two).squeeze(), torch.ones(2)))


@program
def super_resolution():
    x, y = torch.randn(2, 1, 12, 12), torch.randn(2, 1, 24, 24)
    return training(taken("examples/super_resolution/model.py").Net(2), lambda net: F.mse_loss(net(x), y))


@program
def gcn_sparse():
    x, adjacent = torch.randn(8, 6), torch.eye(8).to_sparse()
    net = taken("examples/gcn/main.py").GCN(6, 5, 3)
    return training(net, lambda net: F.nll_loss(net(x, adjacent), torch.arange(8) % 3))


@program
def gat():
    x, adjacent = torch.randn(8, 6), torch.ones(8, 8)
    net = taken("examples/gat/main.py").GAT(6, 8, 2, 3)
    return training(net, lambda net: F.nll_loss(net(x, adjacent), torch.arange(8) % 3))


@program
def fast_neural_style():
    x = torch.randn(1, 3, 32, 32)
    net = taken("examples/fast_neural_style/neural_style/transformer_net.py").TransformerNet()
    return training(net, lambda net: net(x).square().mean())


@program
def regression():
    module = taken("examples/regression/main.py", POLY_DEGREE=4, W_target=torch.randn(4, 1), b_target=torch.randn(1))
    x, y = module.get_batch()
    return training(torch.nn.Linear(4, 1), lambda net: F.smooth_l1_loss(net(x), y))


# -- other repositories and packages -----------------------------------------------------------------------------------


@program
def nano_gpt():
    module, x = taken("nanoGPT/model.py"), words(2, 8)
    net = module.GPT(module.GPTConfig(block_size=8, vocab_size=50, n_layer=4, n_head=2, n_embd=16))
    return training(net, lambda net: net(x, x)[1], net.configure_optimizers(0.1, 1e-3, (0.9, 0.95), "cpu"))


@program
def min_gpt():
    sys.path.append(str(folder / "minGPT"))
    from mingpt.model import GPT

    config, x = GPT.get_default_config(), words(2, 8)
    config.merge_from_dict({"model_type": None, "n_layer": 3, "n_head": 2, "n_embd": 16, "vocab_size": 50,
                            "block_size": 8})  # fmt: skip
    return training(GPT(config), lambda net: net(x, x)[1])


@program
def sam_optimizer():
    net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    x = torch.randn(5, 4)
    optimizer = taken("sam/sam.py").SAM(net.parameters(), torch.optim.SGD, lr=0.1)

    def run():
        net(x).square().mean().backward()
        optimizer.first_step(zero_grad=True)
        loss = net(x).square().mean()
        loss.backward()
        optimizer.second_step(zero_grad=False)
        return loss

    return run, net


@program
def resnet18():
    from torchvision.models import resnet18

    x, y = images(2, 3, 64, 64)
    return training(resnet18(num_classes=10), lambda net: F.cross_entropy(net(x), y))


@program
def segmentation():
    from torchvision.models.segmentation import lraspp_mobilenet_v3_large

    x, y = torch.randn(2, 3, 64, 64), torch.randint(0, 5, (2, 64, 64))
    net = lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=5)
    return training(net, lambda net: F.cross_entropy(net(x)["out"], y))


@program
def vit():
    from timm import create_model

    x, y = images(2, 3, 32, 32)
    net = create_model("vit_tiny_patch16_224", img_size=32, num_classes=10)
    return training(net, lambda net: F.cross_entropy(net(x), y))


def transformer(name, config, **options):
    import transformers

    net = getattr(transformers, name)(getattr(transformers, config)(**options))
    x = words(2, 8)
    return training(net, lambda net: net(input_ids=x, labels=x).loss)


SMALL = {"vocab_size": 50, "hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 32}


@program
def llama(**options):
    return transformer("LlamaForCausalLM", "LlamaConfig", num_hidden_layers=3, **SMALL)


@program
def llama_checkpointed():
    run, net = llama()
    net.gradient_checkpointing_enable()
    return run, net.train()


@program
def bert():
    return transformer("BertForMaskedLM", "BertConfig", num_hidden_layers=3, **SMALL)


@program
def gpt2():
    return transformer("GPT2LMHeadModel", "GPT2Config", n_layer=3, n_head=2, n_embd=16, vocab_size=50, n_positions=8)


@program
def lora():
    from peft import LoraConfig, get_peft_model

    net, x = get_peft_model(llama()[1], LoraConfig(target_modules=["q_proj", "v_proj"], r=2)), words(2, 8)
    return training(net, lambda net: net(input_ids=x, labels=x).loss)


@program
def lightning_loop():
    import lightning

    class Lit(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))

        def training_step(self, batch, index):
            return self.layers(batch[0]).square().mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    net, data = Lit(), torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(4, 4)), batch_size=2)
    trainer = lightning.Trainer(max_epochs=1, accelerator="cpu", logger=False, enable_checkpointing=False,
                                enable_progress_bar=False, enable_model_summary=False)  # fmt: skip
    return lambda: trainer.fit(net, data), net


@program
def opacus_private():
    from opacus import GradSampleModule
    from opacus.optimizers import DPOptimizer

    x, y = torch.randn(4, 6), torch.tensor([0, 1, 0, 1])
    net = GradSampleModule(torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.ReLU(), torch.nn.Linear(5, 2)))
    optimizer = DPOptimizer(torch.optim.SGD(net.parameters(), 0.1), noise_multiplier=0.0, max_grad_norm=1.0,
                            expected_batch_size=4)  # fmt: skip
    return training(net, lambda net: F.cross_entropy(net(x), y), optimizer)


# -- PyTorch's own ways ------------------------------------------------------------------------------------------------


def multilayer():
    return torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))


@program
def func_per_sample():
    from torch.func import functional_call, grad, vmap

    net, x, y = multilayer(), torch.randn(5, 6), torch.arange(5) % 3

    def loss_of(parameters, x, y):
        return F.cross_entropy(functional_call(net, parameters, (x[None],)), y[None])

    def run():
        each = vmap(grad(loss_of), (None, 0, 0))(dict(net.named_parameters()), x, y)
        for name, parameter in net.named_parameters():
            parameter.grad = each[name].mean(0)

    return run, net


@program
def ddp_gloo():
    from torch import distributed

    if not distributed.is_initialized():
        distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    x = torch.randn(5, 6)
    return training(torch.nn.parallel.DistributedDataParallel(multilayer()), lambda net: net(x).square().mean())


def checkpointed(reentrant):
    from torch.utils.checkpoint import checkpoint

    x = torch.randn(5, 6, requires_grad=True)
    return training(multilayer(), lambda net: checkpoint(net, x, use_reentrant=reentrant).square().mean())


@program
def checkpoint_reentrant():
    return checkpointed(True)


@program
def checkpoint_plain():
    return checkpointed(False)


@program
def autocast_bf16():
    x = torch.randn(5, 6)

    def loss_of(net):
        with torch.autocast("cpu", torch.bfloat16):
            return net(x).square().mean()

    return training(multilayer(), loss_of)


@program
def lbfgs():
    net, x = multilayer(), torch.randn(5, 6)
    optimizer = torch.optim.LBFGS(net.parameters(), max_iter=4, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        return loss

    return lambda: optimizer.step(closure), net


@program
def gru_cell():
    cell, x = torch.nn.GRUCell(4, 5), torch.randn(6, 2, 4)

    def loss_of(cell):
        state = torch.zeros(2, 5)
        for step in x:
            state = cell(step, state)
        return state.square().mean()

    return training(cell, loss_of)


@program
def lstm():
    x = torch.randn(6, 2, 4)
    return training(torch.nn.LSTM(4, 5, 2), lambda net: net(x)[0].square().mean())


def compiled(backend):
    torch.compiler.reset()
    net, x = multilayer(), torch.randn(5, 6)
    function = torch.compile(net, backend=backend)
    return training(net, lambda net: function(x).square().mean())


@program
def compile_eager():
    return compiled("eager")


@program
def compile_aot():
    return compiled("aot_eager")


@program
def sparse_gradients():
    net, x = torch.nn.EmbeddingBag(50, 8, sparse=True), words(3, 4)
    return training(net, lambda net: net(x).square().mean(), torch.optim.SparseAdam(net.parameters()))


@program
def transformer_encoder():
    layer, x = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), torch.randn(2, 5, 16)
    return training(torch.nn.TransformerEncoder(layer, 6), lambda net: net(x).square().mean())


# -- running them ------------------------------------------------------------------------------------------------------


def standing(model):
    """The state that a recording could leave behind: modes, hooks, and replaced functions of PyTorch."""
    optimizers = sys.modules["torch.optim.optimizer"]
    hooks = [each for tensor in model.parameters() for each in (tensor._backward_hooks or {}, getattr(
        tensor, "_post_accumulate_grad_hooks", None) or {})]  # fmt: skip
    return (torch._C._len_torch_function_stack(), torch._C._len_torch_dispatch_stack(), sum(map(len, hooks)),
            torch.autograd.Function.__dict__["apply"], torch.autograd.Variable._execution_engine,
            len(optimizers._global_optimizer_pre_hooks))  # fmt: skip


def state_of(model):
    return {name: (each.detach().clone(), each.grad) for name, each in model.named_parameters()}


def same(one, other):
    if one is None or other is None:
        return one is other
    return torch.equal(*[each.to_dense() if each.is_sparse else each for each in (one, other)])


def examine(name, pictures):
    """Run one program plain and recorded; ``{what: seconds, kilobytes, pixels or trouble}``."""
    from looking import look

    states, found = [], {}
    for recorded in (False, True):
        torch.manual_seed(0)
        run, model = PROGRAMS[name]()
        torch.manual_seed(1)
        before, begun = standing(model), time.perf_counter()
        if recorded:
            trace, seconds, made = look(run, model)
        else:
            run()
            found["plain"] = time.perf_counter() - begun
        assert standing(model) == before, f"left behind: {standing(model)}, before {before}"
        states.append(state_of(model))
    assert states[0].keys() == states[1].keys()
    different = [key for key, pair in states[0].items() if not all(map(same, pair, states[1][key]))]
    assert not different, f"not the same to the bit: {different}"
    for what in {"draw(trace)", "draw(loss)", "step"} & set(made) if pictures else ():
        (folder / f"{name} {what}.{'html' if what == 'step' else 'svg'}").write_text(made[what])
    found |= {"events": len(trace), **seconds, "kB": {what: len(text) // 1000 for what, text in made.items()
                                                     if isinstance(text, str)}}  # fmt: skip
    picture = made.get("draw(loss)") or made["draw(trace)"]
    return found | {"pixels": picture.split('viewBox="0 0 ')[1].split('"')[0].replace(" ", "×"),
                    "boxes": made["boxes"]}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="of programs; all if none is given")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    global folder, torch, F
    folder = options.folder.resolve()
    if options.one:
        os.environ["OMP_NUM_THREADS"] = "1"  # else the times depend on the machine's other work
        import torch
        import torch.nn.functional as F

        sys.path.append(str(HERE / "tools"))
        print(json.dumps(examine(options.one, bool(options.names))))
        return 0
    python, failed = python_of(folder / "venv"), []
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES.split()], check=True)
    for source in SOURCES:
        if not (folder / source.partition("/")[2]).exists():
            clone = "git", "clone", "-q", "--depth", "1", f"https://github.com/{source}"
            subprocess.run(clone, cwd=folder, check=True)
    print("program | plain s | recorded s | events | draw(trace) s, kB | draw(loss) s, kB | page s, kB | px | boxes")
    for name in options.names or PROGRAMS:
        command = [python, "-W", "ignore", "-m", "tests.strangers", "--folder", folder, "--one", name, *options.names]
        ended = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True)
        if ended.returncode:
            failed.append(name)
            print(f"{name} | {ended.stderr.strip()[-900:] if options.names else ended.stderr.strip().splitlines()[-1]}")
            continue
        told = json.loads(ended.stdout.splitlines()[-1])
        sizes = " | ".join(f"{told[each]:.2f}, {told['kB'][each]}" if each in told else "" for each in
                           ("draw(trace)", "draw(loss)", "step"))  # fmt: skip
        print(f"{name} | {told['plain']:.3f} | {told['record']:.2f} | {told['events']} | {sizes} | {told['pixels']} | "
              f"{told['boxes']}", flush=True)  # fmt: skip
    print(f"{len(options.names or PROGRAMS) - len(failed)} of {len(options.names or PROGRAMS)}; failed: {failed}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())

"""Training steps of small networks, each timed plain and inside `record()`: the cost of a recording."""
from .measure import OURS, TORCH


def mlp(torch):
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(8, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x, y = torch.randn(64, 8), torch.randn(64, 1)

    def step():
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return step


def gpt(torch):
    torch.manual_seed(0)
    nn, F = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention_norm, self.mlp_norm = nn.LayerNorm(32), nn.LayerNorm(32)
            self.qkv, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
            self.mlp = nn.Sequential(nn.Linear(32, 128), nn.GELU(), nn.Linear(128, 32))

        def forward(self, x):
            batch, time, width = x.shape
            q, k, v = (each.view(batch, time, 4, 8).transpose(1, 2)
                       for each in self.qkv(self.attention_norm(x)).split(width, 2))
            scores = (q @ k.transpose(-2, -1)) / 8**0.5
            hidden = torch.triu(torch.ones(time, time), 1) > 0
            seen = scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v
            x = x + self.out(seen.transpose(1, 2).reshape(batch, time, width))
            return x + self.mlp(self.mlp_norm(x))

    class GPT(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.places = nn.Embedding(65, 32), nn.Embedding(16, 32)
            self.blocks = nn.Sequential(Block(), Block())
            self.norm, self.head = nn.LayerNorm(32), nn.Linear(32, 65)

        def forward(self, tokens):
            x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1]))
            return self.head(self.norm(self.blocks(x)))

    model = GPT()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    tokens, targets = torch.randint(65, (8, 16)), torch.randint(65, (8, 16))

    def step():
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens).view(-1, 65), targets.view(-1))
        loss.backward()
        optimizer.step()
    return step


RECORDINGS = {  # {name: (library, builder of `step`, title)}
    "mlp": (TORCH, mlp, "MLP of three layers, Adam, PyTorch"),
    "gpt": (TORCH, gpt, "GPT of two blocks, Adam, PyTorch"),
    "our_mlp": (OURS, mlp, "MLP of three layers, Adam, ours"),
}

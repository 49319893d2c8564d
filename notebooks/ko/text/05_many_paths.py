# %% [markdown]
# # 05 여러 경로
#
# **배우는 것** 경로가 갈라졌다가 다시 만나는 곳에서 그래디언트를 구하고, backward가 그래프를 어떤 순서로 지나야 하는지 말합니다.
#
# **필요한 것** [04 누적](04_accumulation.ipynb): backward와 backward 사이에 일어나는 일. 이 장은 backward 한 번 안의 이야기입니다.
#
# **시간** 40분

# %%
import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# ## x에서 z로 가는 두 길
#
# 지금까지는 경로가 하나였습니다. 이번에는 x를 y = x³과 w = x²에 두 번 쓰고, 둘 다 z로 이어집니다.

# %% tags=["A9"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
w = x**2
z = torch.log(y) + torch.sqrt(w)
print(z)
torch.draw(z)

# %% [markdown]
# 종이에 쓰면, 양수 x에 대해 ln(x³) + √(x²)은 3 · ln(x) + x입니다.

# %%
course.ch05.p1

# %% tags=["A9"]
z.backward()
print(f"{x.grad}")

# %% [markdown]
# ## 따라가며 곱하고, 만나면 더한다
#
# 경로를 따라서는 01장처럼 고리를 곱합니다. 경로들이 다시 만나는 x에서는 **더합니다**.

# %% tags=["A9"]
upper = 3 * 5.0**2 * (1 / 125)
lower = 2 * 5.0 * (1 / (2 * 5.0))
print(f"{upper:.1f} + {lower:.1f} = {upper + lower:.1f}")


# %% [markdown]
# y를 지나는 길은 75 · 0.008, w를 지나는 길은 10 · 0.1입니다. 왜 더할까요? x를 조금 움직이면 y도 w도 움직이고, z는 둘의 움직임을 한꺼번에 받습니다. 작은 움직임들은 더해집니다.

# %% [markdown]
# 경로 하나를 없애서 그 몫이 사라지는 것을 보세요. 이 벤치는 우리가 쓴 함수를 실행합니다.
#
# 1. y에서 끊기 `detach()`를 고르면 되돌아가는 길이 거기서 끝납니다. x.grad에는 얼마가 남나요?
# 2. **초기화**를 누르고 w에 훅 *두 배*를 추가하세요. w를 지나 돌아오는 것이 두 배로 계산됩니다. 이제 x.grad는?

# %%
def program_9(x):
    y = x**3
    w = x**2
    z = torch.log(y) + torch.sqrt(w)
    return z


torch.bench(program_9, x=5.0, plan=["z.backward()"], controls=["y.cut", "w.hooks"])

# %% [markdown]
# y를 지나는 경로가 없으면 1이 남습니다. w를 지나는 경로를 두 배로 하면 0.6 + 2입니다. 두 경로는 서로를 모릅니다.
#
# 가중치를 *공유하는(shared)* 곳이면 어디서나 이런 일이 있습니다. 이미지 위를 미끄러지는 필터는 모든 자리에서 쓰입니다. 경로는 수천 개, 그래디언트는 하나입니다. 여기서는 가중치 하나를 세 수에 곱합니다.

# %%
course.ch05.p2

# %% tags=["F1"]
weight = torch.tensor(2.0, requires_grad=True)
for_each = weight * torch.tensor([1.0, 2.0, 3.0])
for_each.sum().backward()
print(weight.grad)

# %% [markdown]
# ## 어디서 더해질까?
#
# 흔한 추측은 이렇습니다. 앞 장에서처럼 backward가 `.grad`에 더하기 때문에 경로들이 더해진다는 것입니다. 실제와는 조금 다르고, 그 차이를 눈으로 확인할 수 있습니다.
#
# x에 거는 [훅(hook)](../91_glossary.ipynb#hook)은 x에 그래디언트가 도착할 때마다 호출되는, 여러분이 쓴 함수입니다. 여기서는 이름 없는 짧은 함수인 `lambda`를 씁니다. `grad`를 받아 출력합니다.

# %%
course.ch05.p3

# %% tags=["A9"]
x = torch.tensor(5.0, requires_grad=True)
x.register_hook(lambda grad: print("hook on x:", grad))
z = torch.log(x**3) + torch.sqrt(x**2)
z.backward()
print(x.grad)

# %% [markdown]
# 1.6으로 한 번 호출됩니다. 엔진은 먼저 더하고 나서 x.grad에 한 번 씁니다. `.grad`에 누적하는 것은 backward와 backward 사이의 일이고, backward 한 번 안에서는 도중에 합이 만들어집니다.
#
# 단계별로 따라가 보세요. 0.6과 1은 몇 단계에서 출발하고, 몇 단계에서 만나나요?

# %%
x = torch.tensor(5.0, requires_grad=True)
with torch.record() as trace:
    y, w = x**3, x**2
    z = torch.log(y) + torch.sqrt(w)
    z.backward()
torch.step(trace)

# %% [markdown]
# 초록색 동그라미인 AccumulateGrad는 기다려야 합니다. 두 그래디언트가 모두 도착한 다음에야 마지막으로 자기 차례가 오고, 1.6을 받습니다.

# %% [markdown]
# ## 순서가 왜 중요할까
#
# 엔진이 왜 기다려야 하는지는 더 작은 예에서 볼 수 있습니다. b는 a + a이고, c는 b + b입니다.

# %% tags=["F1"]
a = torch.tensor(1.0, requires_grad=True)
b = a + a
c = b + b
torch.draw(c)

# %%
course.ch05.p4

# %% tags=["F1"]
a.grad = None
c.backward()
print(a.grad)

# %% [markdown]
# 기울기가 1인 경로가 넷 있습니다. backward는 이 경로들을 어떻게 지나야 할까요? 먼저 떠오르는 것은 자기 자신을 호출하는 함수, 즉 재귀입니다. 입력마다 제 몫을 주고, 거기서 같은 일을 되풀이합니다.

# %%
made_of, grads = {"c": "bb", "b": "aa", "a": ""}, {"c": 1, "b": 0, "a": 0}


def back(name):
    for source in made_of[name]:
        grads[source] += grads[name]
    for source in made_of[name]:
        back(source)


back("c")
grads


# %% [markdown]
# 8이 나왔지만 맞는 답은 4입니다. b에는 두 번 오는데, 올 때마다 가진 것을 모두 넘깁니다. 일부는 이미 넘겼는데도 말입니다. 경로마다 따로 그래디언트를 들고 끝까지 가서 리프에서 더하면 됩니다. 맞긴 하지만 가망이 없습니다. 두 배가 한 번 더해질 때마다 경로의 수도 두 배가 됩니다.

# %%
def every_path(node):
    return sum(every_path(source) for source, _ in node.next_functions) or 1


y = torch.tensor(1.0, requires_grad=True)
for _ in range(16):
    y = y + y
every_path(y.grad_fn)

# %% [markdown]
# 덧셈 16번에 경로가 65536개입니다. 덧셈이 60번이면 이 함수를 평생 돌려도 끝나지 않을 만큼 많습니다.

# %%
course.ch05.p5

# %% tags=["F1"]
a = torch.tensor(1.0, requires_grad=True)
y = a
for _ in range(60):
    y = y + y
y.backward()
print(a.grad == 2.0**60)

# %% [markdown]
# ## 두 번째 규칙
#
# 노드에도 훅을 걸 수 있습니다. 노드의 훅은 나가는 그래디언트와 들어온 그래디언트, 두 가지를 받습니다. b를 만든 노드에 들어온 것을 출력해 봅시다.

# %%
course.ch05.p6

# %% tags=["F1"]
a = torch.tensor(1.0, requires_grad=True)
b = a + a
c = b + b
b.grad_fn.register_hook(lambda going_out, came_in: print("at b:", came_in))
c.backward()


# %% [markdown]
# 그래서 두 번째 규칙은 이렇습니다. 노드는 한 번씩만 들르되, 그 노드로 오는 것이 *모두* 도착한 다음에 들릅니다. 그러면 그래디언트가 온전하고, 통째로 넘길 수 있습니다.
#
# 엔진이 첫 그래디언트가 왔을 때 한 번, 둘째가 왔을 때 또 한 번 나아간다면 b의 노드는 두 번 실행되고, 그 앞의 것도 모두 두 번 실행됩니다. 결국 모든 경로를 다시 따라가는 셈입니다.
#
# 각 노드가 자기를 쓰는 노드보다 모두 뒤에 오는 순서를 [위상 순서(topological order)](../91_glossary.ipynb#topological-order)라고 합니다.

# %% [markdown]
# ## 순서를 찾는 방법
#
# 노드마다 자기에게 올 그래디언트가 몇 개인지 셉니다. 끝에서 시작해, 노드 하나를 실행할 때마다 그 입력들의 수를 하나씩 줄입니다. 0이 된 노드는 준비된 것입니다.
#
# 아래의 반복문은 도는 동안 길어지는 리스트를 돕니다. 새 노드를 찾으면 끝에 붙여 두고, 나중에 그 차례가 옵니다.

# %%
def users(root):
    counts, to_see = {root: 0}, [root]
    for node in to_see:
        for source, _ in node.next_functions:
            if source not in counts:
                to_see.append(source)
            counts[source] = counts.get(source, 0) + 1
    return counts


# %%
for node, count in users(c.grad_fn).items():
    print(count, node.name())

# %% [markdown]
# c의 노드는 아무도 기다리지 않고, b의 노드는 그래디언트 둘을, AccumulateGrad도 둘을 기다립니다. PyTorch의 엔진도 이렇게 세고, 우리 엔진도 그렇습니다.
#
# 재귀가 필요 없다는 것이 두 번째 장점입니다. 긴 반복문은 긴 사슬을 만드니까요. 다음 사슬은 파이썬의 재귀 한도만큼 깁니다.

# %%
import sys

x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(sys.getrecursionlimit()):
    y = y + 1
y.backward()
print(x.grad)

# %%
try:
    every_path(y.grad_fn)
except RecursionError as error:
    print(type(error).__name__)

# %% [markdown]
# 경로가 하나뿐인데도, 자기 자신을 호출하는 함수에게는 너무 깊습니다.
#
# ## 뉴런
#
# 이제부터 다른 예가 하나 더 함께 갑니다. 신경망을 이루는 *뉴런*입니다. 뉴런은 입력마다 가중치를 곱하고, 편향을 더하고, 그 합을 tanh로 -1과 1 사이에 눌러 담습니다. tanh의 기울기는 1 - tanh²입니다. 학습하는 것은 가중치와 편향입니다.

# %%
x1, x2 = torch.tensor(2.0), torch.tensor(1.0)
w1, w2, b = (torch.tensor(each, requires_grad=True) for each in (1.0, -1.0, -0.5))
out = torch.tanh(w1 * x1 + w2 * x2 + b)
torch.draw(out)

# %%
out.backward()
slope = 1 - out.item() ** 2
print(f"{slope:.4f}: {w1.grad:.4f} {w2.grad:.4f} {b.grad:.4f}")

# %% [markdown]
# 세 경로가 모두 tanh를 지나므로 그 기울기 0.7864가 그래디언트마다 들어 있습니다. w1에서는 2배, w2에서는 1배, b에서는 그대로입니다. 합이 10이었다면 tanh의 기울기는 거의 0이고, 셋 가운데 아무것도 학습하지 못합니다.
#
# ## 모두 모아서
#
# 이제 직접 되짚어 봅시다. 루트부터 칸마다 그래디언트를 쓰세요. 칸은 그리로 이어지는 것을 모두 알게 되면 열립니다.

# %%
course.ch05.p7

# %% tags=["F1"]
x = torch.tensor(2.0, requires_grad=True)
y, w = x**3, x + 1
y.retain_grad()
w.retain_grad()
z = y * w
z.backward()
torch.info(x, y, w, z)

# %% [markdown]
# 프로그램 9를 훅까지 포함해 PyTorch에서 실행한 것입니다.

# %% tags=["A9"]
course.in_pytorch("A9b")

# %% [markdown]
# ## 요약
#
# | 어디서 | 무슨 일이 |
# |---|---|
# | 경로를 따라서 | 고리를 곱한다 |
# | 경로가 만나는 곳 | 더 나아가기 전에 그래디언트를 더한다 |
# | 순서 | 노드마다 한 번, 자기를 쓰는 노드가 모두 끝난 뒤: 위상 순서 |
# | 리프에서 | `.grad`에 한 번 쓴다. 앞선 backward가 남긴 것에 더한다 |

# %% [markdown]
# ## 연습 문제
#
# **1.** a = 3에서 b = a * a이고 c = b + a입니다. c.backward()를 하고 나면 a.grad는?

# %%
answer = ...
course.ch05.q1.check(answer)


# %% [markdown]
# **2.** ln(x³) + √(x²)의 그래디언트를 한 줄에 한 경로씩 손으로 구하는데, 그중 하나를 잃어버립니다. 고치세요.

# %%
def by_hand(x):
    gradient = 3 * x**2 * (1 / x**3)
    gradient = 2 * x * (1 / (2 * x))
    return gradient


course.ch05.q2.check(by_hand)


# %% [markdown]
# **3.** 리프 w와 텐서 data를 받아, (w · data)²의 합에 대한 w의 그래디언트를 backward로 구해 반환하는 함수를 쓰세요.

# %%
def shared(w, data):
    ...


course.ch05.q3.check(shared)


# %% [markdown]
# **4.** `inputs`는 노드마다 어떤 노드들로 계산되었는지를 말합니다. 예: `{"z": ["y", "w"], "y": ["x"], "w": ["x"], "x": []}`. 모든 노드가 한 번씩, 자기를 쓰는 노드보다 뒤에 나오는 리스트를 반환하세요.

# %%
def walk(inputs):
    ...


course.ch05.q4.check(walk)

# %% [markdown]
# ## 다음
#
# 생각해 볼 질문. 엔진이 리프에서 결과 쪽으로 갈 수도 있을까요? 리프가 이백만 개라면 무엇을 들고 가야 할까요?
#
# 지금까지 텐서는 거의 다 수 하나였습니다. [06 Several inputs](../06_several_inputs.ipynb)(영어)에서는 shape이 다른 텐서들이 만나고, 브로드캐스팅이 저절로 많은 경로를 만듭니다. 이전: [04 누적](04_accumulation.ipynb).
#
# **따르는 자료** [자료 A “PyTorch Autograd”](../91_glossary.ipynb#Sources)의 프로그램 9. 자료의 설명 하나를 바로잡습니다.

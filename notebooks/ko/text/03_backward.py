# %% [markdown]
# # 03 역전파
#
# **배우는 것** backward가 무엇을 왜 해제하는지 말하고, `retain_graph`로 그래프를 남기고, 그럴 필요가 없는 때를 구별합니다.
#
# **필요한 것** [02 리프](02_leaves.ipynb): 리프, grad_fn, 그리고 결과 뒤에 있는 그래프.
#
# **시간** 40분

# %%
import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# ## 순전파는 기록하고, 역전파는 되짚는다
#
# x에서 y와 z를 계산하는 것을 [순전파(forward)](../91_glossary.ipynb#forward)라고 합니다. 그러는 동안 연산은 저마다 미분에 필요한 것을 적어 둡니다. 그 메모들이 [그래프](../91_glossary.ipynb#graph)를 이루고, `backward()`는 z에서 x까지 그래프를 되짚어 갑니다. 다시 그 그림입니다. backward 전에 무엇을 적어 두어야 할까요?

# %%
course.ch03.p9

# %% [markdown]
# 첫 backward는 이 두 수를 쓰고 나서 지웁니다. 실행한 다음, backward를 한 번 더 눌러 봅시다.

# %% tags=["A6"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()
print(x.grad)

# %%
course.ch03.p1

# %% tags=["A6", "raises-exception"]
z.backward()

# %% [markdown]
# 오류 메시지를 끝까지 읽으세요. “Saved intermediate values of the graph are freed”, 즉 적어 둔 것이 해제되어 그래프를 다시 되짚을 수 없다는 뜻입니다. 문구는 `retain_graph=True`라는 해결책도 알려 줍니다. 언제 이것이 *정말* 해결책이고 언제 아닌지가 이 장의 주제입니다.

# %% [markdown]
# ## 무엇을 저장했나
#
# x³의 도함수는 3x²이므로 거듭제곱은 x를 알아야 합니다. ln(y)의 도함수는 1/y이므로 로그는 y를 알아야 합니다. 이렇게 적어 둔 것은 직접 읽을 수 있고, [저장된 텐서(saved tensors)](../91_glossary.ipynb#saved-tensors)라고 부릅니다. (`self`는 PyTorch가 연산의 첫 번째 입력을 부르는 이름입니다.) 그림에서는 연산마다 저장한 것이 적혀 있습니다.

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
print(z.grad_fn._saved_self)
print(y.grad_fn._saved_self, y.grad_fn._saved_exponent)
torch.draw(z, saved=True)

# %%
course.ch03.p2

# %% tags=["raises-exception"]
z.backward()
z.grad_fn._saved_self

# %%
torch.draw(z)

# %% [markdown]
# 이제 노드가 점선으로 그려집니다. 갖고 있던 것이 [해제(freed)](../91_glossary.ipynb#freed)되었다는 뜻입니다. 왜 이렇게 빨리 해제할까요? 메모리를 차지하는 것이 바로 이 메모들이기 때문입니다. 신경망에서는 모든 층의 입력이 여기에 해당합니다. 대개는 backward 한 번이면 충분하고, 메모리는 다음 순전파에 필요합니다.

# %% [markdown]
# ## 그래프 남겨 두기
#
# [retain_graph=True](../91_glossary.ipynb#retain_graph)를 주면 아무것도 해제하지 않으므로 backward를 다시 할 수 있습니다.

# %%
x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
z.backward(retain_graph=True)
z.backward()
print(x.grad)

# %% [markdown]
# 실행은 되지만 0.6이 아니라 1.2입니다. 두 번째 그래디언트가 첫 번째에 더해졌습니다. [다음 장](04_accumulation.ipynb)에서 다룹니다.

# %%
course.ch03.p3

# %% tags=["raises-exception"]
z.backward()

# %% [markdown]
# retain_graph는 그 호출 한 번에만 적용됩니다. 두 번째 호출은 남기라고 하지 않았으므로 그래프를 해제했습니다.
#
# ## 저장하는 것이 없을 때
#
# x + 1의 도함수는 x가 무엇이든 1입니다. 원소들의 합도 원소 하나가 1 커지면 1 커집니다.

# %%
course.ch03.p4

# %% tags=["F2"]
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x + 1).sum()
y.backward()
y.backward()
print(x.grad)


# %% [markdown]
# retain_graph가 없는데도 오류가 나지 않습니다. 그러니 없어지는 것은 그래프 자체가 아니라 노드가 저장한 것뿐입니다. 다른 연산도 해 봅시다.

# %% tags=["F2"]
def runs_twice(y):
    y.sum().backward()
    try:
        y.sum().backward()
        return True
    except RuntimeError:
        return False


# %%
course.ch03.p5

# %% tags=["F2"]
print("-x    ", runs_twice(-x))
print("x * x ", runs_twice(x * x))
print("exp(x)", runs_twice(x.exp()))
print("x * 2 ", runs_twice(x * 2))

# %% [markdown]
# exp는 *결과*를 저장합니다. exp(x)의 도함수가 exp(x) 자신이기 때문입니다. 그럼 x * 2는? 아래에서 봅니다.
#
# ## 해 보기
#
# 1. 첫 번째 backward의 *retain_graph*를 켜세요. x.grad는 얼마인가요?
# 2. **초기화**를 누르고 z를 `x + 1`, `-x`, `exp(x)`, `x * 2`로 바꿔 보세요. 실패하는 것은?
# 3. **초기화**, **실행 목록 비우기**를 누르고 **+ z.backward()**, **+ 순전파 다시**, **+ z.backward()** 버튼을 차례로 클릭하세요. 오류가 나나요?

# %%
torch.bench(preset="freed graph")

# %% [markdown]
# 1에서 x.grad는 1.2이고, 2에서는 exp(x)와 x * 2가 실패합니다. 3이 보통 쓰는 방법입니다. 순전파를 새로 하면 저장한 것까지 갖춘 새 그래프가 생기므로 오류도 없고 retain_graph도 필요 없습니다. (`torch.bench(preset="freed graph").beside()`는 벤치 두 개를 나란히 보여 주고, 서로 다른 곳을 표시합니다.)
#
# ## 행렬, 그리고 출발점이 될 스칼라
#
# 이번에는 작은 행렬이고, 끝에 수 하나가 남지 않습니다.

# %%
course.ch03.p6

# %% tags=["D2", "raises-exception"]
y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z = 2 * y + 1
z.backward()

# %% [markdown]
# “grad can be implicitly created only for scalar outputs”라고 합니다. 그래디언트는 수 *하나*, 즉 *스칼라*가 얼마나 빨리 커지는지를 나타냅니다. z에는 수가 네 개 있으니 그중 어느 것일까요? 그 답은 [07장](../07_vectors.ipynb)에 있습니다([오류 클리닉](../92_error_clinic.ipynb#Not-a-scalar)). 여기서는 모두 더해 하나로 만듭니다.

# %% tags=["D3"]
out = z.sum()
print(out, out.grad)
out.backward()
print(y.grad)

# %% [markdown]
# y의 원소는 저마다 z의 자기 짝을 두 배 빠르게 움직이고, 그것이 합을 움직입니다. 그래서 모두 2입니다.
#
# z와 out은 리프가 아닙니다. 그 `.grad`를 읽으면 backward 전이든 후든 경고와 함께 None이 나옵니다.

# %% tags=["D3"]
print(y.is_leaf, z.is_leaf, out.is_leaf)
print(z.grad, out.grad)

# %% [markdown]
# ## 2 * y는 왜 한 번만 될까
#
# `sum`과 덧셈은 아무것도 저장하지 않습니다. 곱셈에는 2만 있으면 될 것 같은데 …

# %% tags=["D6"]
z = 2 * y + 1
product = z.grad_fn.next_functions[0][0]
print(product._saved_other, product._saved_self)

# %% [markdown]
# … 정말로 그 2를 텐서 `_saved_other`로 저장하고, 다른 것과 똑같이 해제합니다. `_saved_self`는 None입니다. y는 2의 그래디언트를 구할 때만 필요한데, 아무도 요청하지 않았습니다. 그래서 첫 번째 backward가 그래프를 남겨 두지 않으면 두 번째 backward는 실패합니다.

# %%
course.ch03.p7

# %% tags=["D7"]
y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
out = (2 * y + 1).sum()
out.backward(retain_graph=True)
out.backward()
print(y.grad)

# %% [markdown]
# ## 흔한 실수
#
# 이 오류를 만나는 사람은 대부분 그래프를 두 번 쓰려는 것이 아닙니다. 노트북에서는 `backward()`가 있는 셀을 다시 실행한 것입니다. 계산하는 셀을 먼저 다시 실행하세요. 프로그램에서는 반복문 안에서 계산해야 할 것을 밖에서 *한 번만* 계산한 것입니다. 여기서는 `scale`이 그렇습니다.

# %%
course.ch03.p8

# %% tags=["raises-exception"]
w = torch.tensor(1.0, requires_grad=True)
scale = w.exp()
for turn in (1, 2):
    print("turn", turn)
    loss = (scale - 3) ** 2
    loss.backward()

# %% [markdown]
# 반복마다 loss는 새것이지만 모두 같은 `scale`을 쓰고, 첫 번째 backward가 그 메모를 해제했습니다. 남겨 두면 실수가 가려질 뿐입니다. scale은 처음 w에서 계산한 값 그대로일 테니까요. 대신 반복마다 다시 계산하세요([오류 클리닉](../92_error_clinic.ipynb#Backward-a-second-time)).

# %%
w = torch.tensor(1.0, requires_grad=True)
for _ in range(2):
    loss = (w.exp() - 3) ** 2
    loss.backward()
print(w.grad)

# %% [markdown]
# ## backward가 바꾸는 것
#
# `backward()`는 아무것도 반환하지 않고, 바꾸는 수는 `.grad`에 있는 것뿐입니다. 노드는 남지만 저장한 것은 사라집니다. z를 가리키는 이름이 없어지면 파이썬이 그래프를 해제합니다.
#
# 프로그램 6을 PyTorch에서 실행하면 이렇습니다. (PyTorch 1.4에서는 오류의 문구가 달랐습니다.)

# %% tags=["A6"]
course.in_pytorch("A6")

# %% [markdown]
# ## 요약
#
# | 연산 | 저장하는 것 | backward 두 번? |
# |---|---|---|
# | `x + 1`, `-x`, `sum` | 없음 | 된다 |
# | `x * x`, `x**3`, `log(x)` | 입력 | retain_graph가 있어야 |
# | `exp(x)` | 결과 | retain_graph가 있어야 |
# | `x * 2` | 2를 텐서로 | retain_graph가 있어야 |

# %% [markdown]
# ## 연습 문제
#
# **1.** x + 1, x * x, x * 2, -x 가운데 retain_graph 없이 backward를 두 번 할 수 있는 것은? True나 False 네 개로 된 리스트로 답하세요.

# %%
answer = ...
course.ch03.q1.check(answer)


# %% [markdown]
# **2.** 리프 x를 받아 z = ln(x³)을 한 번 계산하고, backward를 두 번 실행한 뒤 x.grad를 반환하는 함수를 쓰세요.

# %%
def twice(x):
    ...


course.ch03.q2.check(twice)


# %% [markdown]
# **3.** 한 걸음에 그래디언트 하나씩 따라 w를 아래로 옮겨야 하는데 두 번째 반복에서 실패합니다. 걸음마다 그때의 w에서 구한 그래디언트를 따르도록 고치세요.

# %%
def descend(w, steps):
    loss = (w - 3) ** 2
    for _ in range(steps):
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
    return w


course.ch03.q3.check(descend)


# %% [markdown]
# **4.** `(2 * x).sum()`은 backward를 두 번 할 수 없습니다. 리프 x에 대해 같은 값을 반환하면서 retain_graph 없이 backward를 두 번 할 수 있는 함수를 쓰세요.

# %%
def doubled(x):
    ...


course.ch03.q4.check(doubled)

# %% [markdown]
# ## 다음
#
# 생각해 볼 질문. 입력 없이 끝에서부터 *순전파*를 거꾸로 다시 하려면 무엇을 남겨 두어야 할까요?
#
# [04 누적](04_accumulation.ipynb): 두 번째 그래디언트는 왜 더해졌고, 다시 처음부터 하려면 어떻게 할까요? 이전: [02 리프](02_leaves.ipynb).
#
# **따르는 자료** [자료 A “PyTorch Autograd”](../91_glossary.ipynb#Sources)의 프로그램 6, [자료 D “Backprop by Autograd”](../91_glossary.ipynb#Sources)의 backward 관련 셀들.

# %% [markdown]
# # 04 누적
#
# **배우는 것** 그래디언트가 왜 더해지는지 설명하고, 세 가지 방법으로 지우고, 누적을 일부러 이용합니다.
#
# **필요한 것** [03 역전파](03_backward.ipynb): backward, retain_graph, 그리고 해제되는 것.
#
# **시간** 40분

# %%
import autograd_nb as torch
from autograd_nb import course, widgets
from autograd_nb.drawing import figures

# %% [markdown]
# ## 두 번
#
# 앞 장에서 질문 하나가 남았습니다. backward를 다시 하면 x.grad는 어떻게 될까요? 한 번씩 봅시다. 매번 다음을 위해 그래프를 남깁니다.

# %% tags=["A7"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward(retain_graph=True)
print(f"{x.grad}")

# %% tags=["A7"]
z.backward(retain_graph=True)
print(f"{x.grad}")

# %% [markdown]
# 1.2000000476837158은 마지막 자리까지 0.6000000238418579의 두 배입니다. 두 배가 된 것일까요, 더해진 것일까요? (마지막 셀을 다시 실행하면 또 커집니다. 처음부터 하려면 그 앞의 셀을 먼저 실행하세요.)

# %%
course.ch04.p1

# %%
z.backward()
print(f"{x.grad}")

# %% [markdown]
# **backward는 자기 그래디언트를 `.grad`에 더합니다. 있던 것을 바꾸지 않습니다.** 이것을 [누적(accumulation)](../91_glossary.ipynb#accumulation)이라고 합니다.

# %%
figures.accumulation([("first backward", 0.6), ("second backward", 1.2), ("third backward", x.grad)])

# %% [markdown]
# 더하는 일은 리프 바로 앞의 마지막 노드인 [AccumulateGrad](../91_glossary.ipynb#AccumulateGrad)가 합니다. `torch.record`는 블록 안에서 일어나는 일을 문장으로 적습니다. 4번을 보세요.

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward(retain_graph=True)
with torch.record() as trace:
    z.backward()
trace

# %% [markdown]
# ## 지우기, 첫 번째 방법: zero_()
#
# `x.grad`도 보통 텐서입니다. `zero_()`는 그것을 0으로 채웁니다. (밑줄은 텐서 자신을 바꾼다는 뜻입니다.)

# %% tags=["A8"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward(retain_graph=True)
print(f"{x.grad}")

# %% tags=["A8"]
x.grad.zero_()
z.backward()
print(f"{x.grad}")

# %% [markdown]
# 두 번 다 0.6000000238418579입니다. 두 번째 backward는 0에 더했습니다.
#
# ## 두 번째 방법: None
#
# 첫 번째 backward 전에 `.grad`는 None입니다. 그 상태로 되돌려도 됩니다.

# %%
x = torch.tensor(5.0, requires_grad=True)
z = torch.log(x**3)
z.backward(retain_graph=True)
x.grad = None
z.backward()
print(x.grad)

# %% [markdown]
# 0과 None은 다릅니다. 0은 메모리를 차지하고 “그래디언트가 있는데 0이다”라는 뜻입니다. None은 “없다”는 뜻입니다. 예전 그래디언트를 다루는 방식도 다릅니다.

# %%
course.ch04.p2

# %%
kept = x.grad
x.grad.zero_()
print(kept)

# %%
(x * 2).backward()
kept = x.grad
x.grad = None
print(kept, x.grad)

# %% [markdown]
# `zero_()`는 텐서에 직접 썼고, 그래서 `kept`에도 쓴 셈입니다. `x.grad`를 None으로 두는 것은 텐서를 건드리지 않습니다. 텐서는 그대로 남습니다.

# %% [markdown]
# ## 해 보기
#
# 1. **+ z.backward()** 버튼으로 세 번째 backward를 추가하세요. 오류가 나면 두 번째의 *retain_graph*를 켜세요. 이제 x.grad는?
# 2. **초기화**를 누르고 **+ x.grad.zero_()**, **+ 순전파 다시**, **+ z.backward()** 버튼을 클릭하세요. 그다음 줄을 하나씩 클릭해 보세요.
# 3. **초기화**를 누르고 x를 움직이세요. 두 막대가 모두 변하지만 둘째는 늘 첫째의 두 배입니다.

# %%
torch.bench(preset="accumulation")

# %% [markdown]
# 1에서 x.grad는 0.6의 세 배입니다. 2에서는 막대가 0으로 떨어졌다가 다시 시작합니다. 막대의 밝은 부분이 그 줄에서 더해진 것이고, 흐린 부분은 전부터 있던 것입니다.

# %% [markdown]
# ## 왜 더할까?
#
# 바꾸는 쪽이 더 쉬울 텐데, 더하는 데는 좋은 이유가 두 가지 있습니다.
#
# 첫째, 한 텐서를 여러 계산에 쓰고 계산마다 backward를 따로 할 수 있습니다. 그 텐서의 진짜 그래디언트는 그것들의 합입니다. (backward *한 번 안에서* 여러 번 쓰는 경우는 [05장](05_many_paths.ipynb)에서 다룹니다.)
#
# 둘째, 합의 그래디언트는 그래디언트의 합입니다. 그래서 결과가 얼마나 틀렸는지를 나타내는 *손실*(loss)을 데이터에 대해 나누어 더할 수 있습니다.

# %% tags=["F7"]
data = torch.tensor([1.0, 2.0, 3.0, 4.0])
w = torch.tensor(2.0, requires_grad=True)
((w * data) ** 2).sum().backward()
whole = w.grad

# %%
course.ch04.p3

# %% tags=["F7"]
w.grad = None
for part in (data[:2], data[2:]):
    ((w * part) ** 2).sum().backward()
    print(w.grad)
print(whole)


# %% [markdown]
# 앞쪽 절반에서 20, 뒤쪽 절반에서 100이 더해졌습니다. 절반마다 자기 그래프가 있으니 retain_graph는 필요 없었습니다.
#
# 큰 *배치*(batch)를 나누어 처리하는 것을 *그래디언트 누적*(gradient accumulation)이라고 합니다. 여기서는 더해지는 것이 바로 우리가 원하는 일입니다.
#
# ## 반복문에서
#
# 이제 손실 (w - 3)²을 줄여 봅시다. 반복마다 그래디언트를 계산하고 w를 그 반대쪽, 내리막으로 조금 옮깁니다. w = 3이면 다 온 것입니다.

# %% tags=["long: a loop with and without clearing"]
def walk(clear):
    w = torch.tensor(0.0, requires_grad=True)
    for _ in range(8):
        if clear:
            w.grad = None
        ((w - 3) ** 2).backward()
        with torch.no_grad():
            w -= 0.2 * w.grad
        print(f"{w.item():.2f}", end="  ")


# %%
course.ch04.p4

# %%
walk(clear=True)

# %%
walk(clear=False)

# %% [markdown]
# 지우지 않으면 걸음마다 지금까지의 그래디언트를 모두 더한 것을 따릅니다. 마찰 없이 구르는 공처럼 골짜기를 오가며 멈추지 않습니다. 완만한 비탈에서는 더 빠를 수도 있지만, 대개는 오류도 경고도 없이 지나쳐 버립니다([오류 클리닉](../92_error_clinic.ipynb#Silent:-an-old-gradient)).

# %% [markdown]
# ## 옵티마이저는 둘 다 한다
#
# 실제 학습에서 갱신을 직접 쓰는 일은 거의 없습니다. `torch.optim.SGD` 같은 [옵티마이저](../91_glossary.ipynb#optimizer)에 움직일 텐서들과 *학습률* `lr`을 줍니다. 학습률은 그래디언트의 얼마만큼을 움직일지 정합니다. `zero_grad()`는 지우고, `step()`은 움직입니다.

# %% tags=["C9"]
w = torch.tensor([1.0, -2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.25)
for _ in range(3):
    loss = (w**2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss, w)

# %% [markdown]
# zero, backward, step. 이 세 줄은 모든 학습 루프에 있습니다. 지우는 것은 step과 다음 backward 사이라면 어디서 해도 됩니다.
#
# 아래는 가중치 a와 b가 있는 손실을 위에서 내려다본 지도입니다. 열 걸음을 간 다음, *zero_grad 빠뜨리기*를 켜고 비교해 보세요. (*모멘텀*은 지난 걸음의 일부를 일부러 남깁니다. 빠뜨리면 전부 남습니다. 모멘텀 1인 셈입니다.)

# %%
widgets.landscape(lr=0.05)

# %%
course.ch04.p5

# %% tags=["C9", "F7"]
(w**2).sum().backward()
optimizer.zero_grad(set_to_none=False)
print(w.grad)
optimizer.zero_grad()
print(w.grad)

# %% [markdown]
# ## 갱신할 때 왜 no_grad가 필요할까?
#
# w는 requires_grad=True인 리프입니다. no_grad 없이 갱신하면 어떻게 될까요?

# %%
course.ch04.p6

# %% tags=["F6", "raises-exception"]
(w**2).sum().backward()
w -= 0.1 * w.grad

# %% [markdown]
# 갱신이 기록된다면 그 연산이 w를 만든 연산이 됩니다. 그런데 w는 리프라서 만든 연산이 없어야 합니다. [no_grad()](../91_glossary.ipynb#no_grad) 안에서는 아무것도 기록되지 않으므로, w를 덮어써도 w는 여전히 같은 리프입니다([오류 클리닉](../92_error_clinic.ipynb#A-leaf-in-place)).

# %% tags=["F6"]
with torch.no_grad():
    w -= 0.1 * w.grad
print(w, w.is_leaf)

# %% [markdown]
# 대신 `w = w - 0.1 * w.grad`라고 쓰는 것은 또 다른 실수입니다. w라는 이름을 *새* 텐서에 붙이는데, 그것은 리프가 아니라 결과입니다. (그 셀은 다시 실행하면 실패합니다. 이 w에는 `.grad`가 없습니다. 위의 셀은 다시 실행할 때마다 한 걸음 더 갑니다.)

# %% tags=["F6"]
w = w - 0.1 * w.grad
print(w.is_leaf, w.requires_grad)

# %% [markdown]
# 프로그램 8을 PyTorch에서 실행하면 이렇습니다.

# %% tags=["A7", "A8"]
course.in_pytorch("A8")

# %% [markdown]
# ## 요약
#
# | 하고 싶은 일 | 쓰는 코드 |
# |---|---|
# | 반복마다 새 그래디언트 | backward 앞에 `optimizer.zero_grad()` 또는 `w.grad = None` |
# | 같은 텐서를 0으로 | `w.grad.zero_()` |
# | 배치를 나누어서 | backward 여러 번, step 한 번 |
# | 예전 그래디언트 간직하기 | `kept = w.grad` 다음에 `w.grad = None` |

# %% [markdown]
# ## 연습 문제
#
# **1.** x = 5에서 z = ln(x³)이고, 매번 `retain_graph=True`로 backward를 세 번 합니다. x.grad는?

# %%
answer = ...
course.ch04.q1.check(answer)


# %% [markdown]
# **2.** 리프 w와 텐서의 리스트를 받아, 모든 (w · part)²의 합에 대한 w의 그래디언트를 반환하는 함수를 쓰세요. 어떤 그래프도 한 부분보다 커지지 않도록 부분마다 backward를 한 번씩 하세요.

# %%
def in_parts(w, parts):
    ...


course.ch04.q2.check(in_parts)


# %% [markdown]
# **3.** w가 3 둘레에서 크게 흔들리는 코드입니다. 고치세요.

# %%
def descend(w, steps):
    for _ in range(steps):
        loss = (w - 3) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
    return w


course.ch04.q3.check(descend)


# %% [markdown]
# **4.** 그래디언트가 있는 리프 x를 받아, 그 그래디언트를 반환하고 x는 다음 backward를 위해 지워 두는 함수를 쓰세요.

# %%
def take_gradient(x):
    ...


course.ch04.q4.check(take_gradient)

# %% [markdown]
# ## 다음
#
# 생각해 볼 질문. 그래디언트가 더해지지 않고 바뀐다면, 이 장의 프로그램 가운데 어느 것이 더 길어질까요?
#
# [05 여러 경로](05_many_paths.ipynb): 한 텐서를 두 번 쓰면 어떻게 되고, backward는 어떤 순서로 되짚어 갈까요? 이전: [03 역전파](03_backward.ipynb).
#
# **따르는 자료** [자료 A “PyTorch Autograd”](../91_glossary.ipynb#Sources)의 프로그램 7~8, [자료 C “Automatic differentiation with torch.autograd”](../91_glossary.ipynb#Sources)의 옵티마이저.

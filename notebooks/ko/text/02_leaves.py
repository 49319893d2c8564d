# %% [markdown]
# # 02 리프
#
# **배우는 것** 어떤 텐서가 왜 그래디언트를 받는지 말하고, `grad_fn`을 읽고, 원래는 버려질 중간 그래디언트를 보관합니다.
#
# **필요한 것** [01 도함수](01_derivative.ipynb): 함수 ln(x³)과 연쇄 법칙의 두 고리.
#
# **시간** 35분

# %%
import autograd_nb as torch
from autograd_nb import course

# %% [markdown]
# ## 무엇이 남을까?
#
# 01장에서 손으로 되짚어 간 그 그림입니다. 이번에는 `backward()`가 같은 일을 했습니다. 세 그래디언트를 모두 계산했는데, 나중에 읽을 수 있는 것은 어느 것일까요?

# %%
course.ch02.p3

# %%
x = torch.tensor(2.0, requires_grad=True)
y = x**3
z = torch.log(y)
z.backward()
torch.draw(z)

# %% [markdown]
# x에만 그래디언트가 남았습니다. x는 *리프*입니다. 이 말이 무슨 뜻이고, 어떻게 하면 y도 그래디언트를 보관하는지가 이 장의 주제입니다.
#
# ## 텐서가 가진 다섯 가지 정보
#
# 모든 텐서는 수 말고도 다섯 가지 정보를 갖고 있습니다.
#
# | 정보 | 답하는 질문 |
# |---|---|
# | `requires_grad` | 그래디언트 계산에 참여하는가? |
# | `is_leaf` | 그것을 만든 연산이 기록되어 있지 않은가? |
# | `retains_grad` | 지나갈 그래디언트를 보관하라는 부탁을 받았는가? |
# | `grad_fn` | 어떤 연산이 만들었는가? |
# | `grad` | 지금까지 받은 그래디언트 |
#
# `torch.info`는 이것을 표로 보여 줍니다. PyTorch에는 없는, 우리가 만든 함수입니다.

# %% [markdown]
# ## 아무것도 요청하지 않으면
#
# x = 5에서 같은 함수를 다시 계산합니다. 그래디언트를 요청하지 않습니다. [리프(leaf)](../91_glossary.ipynb#leaf)는 기록이 시작되는 곳으로, 이를테면 직접 만든 텐서입니다.

# %%
course.ch02.p1

# %% tags=["A3"]
x = torch.tensor(5.0)
y = x**3
z = torch.log(y)
torch.info(x, y, z)

# %% [markdown]
# 세 줄이 모두 같습니다. 요청한 것도, 기록된 것도 없습니다. y와 z는 결과인데도 리프입니다. 리프의 뜻이 바로 이것이기 때문입니다. **리프**는 *기록된* 연산이 만들지 않은 텐서입니다.

# %% [markdown]
# ## 그래디언트 요청하기
#
# x의 스위치 하나가 모든 것을 바꿉니다.

# %%
course.ch02.p2

# %% tags=["A4"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
torch.info(x, y, z)

# %% [markdown]
# `requires_grad`는 입력에서 결과로 전파됩니다. 직접 만든 x는 리프이고, y와 z는 리프가 아닙니다.

# %% tags=["A4"]
print(x)
print(y)
print(z)

# %% [markdown]
# requires_grad=True인 결과는 [grad_fn](../91_glossary.ipynb#grad_fn)을 함께 보여 줍니다. 그것을 만든 연산을 되돌아가는 쪽에서 본 것입니다. PowBackward0은 거듭제곱을, LogBackward0은 로그를 되돌아가는 법을 압니다. 기록에 있는 이런 연산 하나를 *노드*라고 합니다.
#
# 역시 우리가 만든 `torch.draw`가 이 기록을 그려 줍니다. 텐서는 둥글고, 연산은 각지고, 리프는 파란색입니다.

# %%
torch.draw(z)

# %% [markdown]
# ## backward 전과 후
#
# 아직 `.grad`는 모두 None입니다.

# %% tags=["A4"]
z.backward()
print(x.grad)
torch.info(x, y, z)

# %% tags=["A4"]
print(y.grad)

# %% [markdown]
# y가 리프가 아니라서 경고하는 것입니다. y의 `.grad`는 None 그대로인데, 그것을 읽는다면 아마 다른 것을 기대했을 테니까요. (파이썬은 같은 코드 줄에 대해 같은 경고를 한 번만 보여 줍니다.)
#
# x.grad는 0.6000000238418579입니다. float32에 담긴 0.6이 이렇습니다. 표는 수 하나의 모든 자리를 보여 주고, `print`는 반올림합니다.
#
# ## 왜 리프만?
#
# z에서 x로 가려면 backward에는 z와 y에서의 그래디언트도 필요합니다. 손으로 해 보면 이렇습니다.

# %% tags=["A4"]
dz_dy = 1 / y.item()
dy_dx = 3 * x.item() ** 2
print(dz_dy, dy_dx, dz_dy * dy_dx)

# %% [markdown]
# 그러니 y에서의 그래디언트 0.008은 계산되긴 했지만 *보관되지* 않은 것입니다. 실제 신경망에는 커다란 중간 결과가 많고, 학습하는 것은 리프, 즉 가중치입니다. 그 사이의 그래디언트는 쓰이자마자 버려집니다.
#
# “왜 `.grad`가 None이죠?”라는 질문은 대부분 여기서 나옵니다([오류 클리닉](../92_error_clinic.ipynb#No-gradient-on-a-non-leaf)).
#
# ## 그래도 보관하려면
#
# [retain_grad()](../91_glossary.ipynb#retain_grad)로 중간 텐서에게 그래디언트를 보관하라고 부탁합니다.

# %% tags=["A5", "F4"]
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
y.retain_grad()
z.retain_grad()

# %%
course.ch02.p4

# %% tags=["A5"]
z.backward()
torch.info(x, y, z)

# %% [markdown]
# 아래에서 위로 z에 1.0, y에 0.00800000037997961, x에 0.6000000238418579가 있습니다. 읽을 것이 생겼으니 y.grad를 읽어도 더는 경고하지 않습니다.

# %% [markdown]
# 이제 여러분 차례입니다. 이 **벤치**는 무언가를 바꿀 때마다 프로그램을 다시 실행합니다. 줄을 클릭하면 그 줄이 끝난 순간의 그림이 나옵니다. 세 가지를 해 보세요.
#
# 1. z의 *retain_grad*를 켜고 y의 것은 끄세요. 어느 `.grad`가 보관되나요?
# 2. **초기화**를 누르세요. x의 *requires_grad*를 끄고 PyTorch가 하는 말을 읽어 보세요. 그다음 y의 *retain_grad*도 끄세요.
# 3. **초기화**를 누르고 x를 움직이세요. 주황색 화살표의 그래디언트가 따라 변합니다. 절대 변하지 않는 것은 무엇인가요?

# %%
torch.bench(preset="retain_grad")

# %% [markdown]
# 1에서는 z.grad이고 값은 1입니다. 2에서는 아무것도 기록되지 않습니다. 먼저 y에 보관할 그래디언트가 없고, 다음으로 backward가 돌아갈 길이 없습니다. 시작하기 장에서 본 그 오류입니다. 3에서는 z의 1입니다. 모든 backward는 이 1에서 시작합니다.

# %% [markdown]
# ## 나중에 켜는 스위치
#
# `requires_grad_()`로 나중에 리프의 그래디언트를 요청할 수도 있습니다. 이름 끝의 밑줄은 텐서 자신을 바꾼다는 뜻입니다. 여기서는 x를 켜기 전에 z = x + y를 계산합니다.

# %%
course.ch02.p5

# %% tags=["D1"]
x, y = torch.ones(1) + torch.ones(1), torch.ones(1)
z = x + y
print(x.requires_grad_(), z.requires_grad)
z = x + y
print(x.is_leaf, z.requires_grad)

# %% [markdown]
# x는 덧셈의 결과이지만 기록된 것이 없으므로 리프였고, 그래서 켤 수 있었습니다. 예전 z에는 여전히 기록이 없습니다. *그 뒤에* 계산한 것만 기록됩니다. 그럼 *기록된* 결과의 스위치를 끌 수는 있을까요?

# %%
course.ch02.p6

# %% tags=["raises-exception"]
y = x * 2
y.requires_grad = False

# %% [markdown]
# 오류 문구는 `detach()`라는 해결책을 알려 줍니다. 10장에서 설명합니다. 자세한 내용은 [오류 클리닉](../92_error_clinic.ipynb#The-flag-of-a-result)에 있습니다.
#
# 그래디언트는 조금씩 변할 수 있는 수에만 있습니다. 정수로 `torch.tensor(5, requires_grad=True)`라고 하면 [이것도 오류](../92_error_clinic.ipynb#A-whole-number)입니다.
#
# ## 하나만 요청하면
#
# b는 requires_grad=True이고 a는 False입니다.

# %%
course.ch02.p7

# %% tags=["D5"]
a = torch.ones(2)
b = torch.ones(2, requires_grad=True)
c = a * b
d = c + a
d.sum().backward()
torch.info(a, b, c, d)

# %% [markdown]
# requires_grad=True인 입력이 하나만 있어도 c와 d는 requires_grad=True가 됩니다. a는 요청하지 않았으니 아무것도 받지 않았습니다.
#
# ## grad_fn 읽기
#
# 이번에는 행렬과 연산 두 개입니다. `grad_fn`은 그중 *마지막* 연산이고, [next_functions](../91_glossary.ipynb#next_functions)는 그 앞의 것으로 이어집니다.

# %% tags=["D2", "D4", "D12"]
y = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
z = 2 * y + 1
print(z)
print(z.grad_fn)
z.grad_fn.next_functions

# %% [markdown]
# 마지막 연산은 덧셈입니다. 입력마다 쌍이 하나씩 있습니다. 그래디언트가 다음에 갈 노드와, 그 노드의 몇 번째 결과인지입니다. 수 1 쪽으로는 갈 곳이 없어 None입니다.

# %% tags=["D2"]
product = z.grad_fn.next_functions[0][0]
print(product.next_functions)

# %% [markdown]
# 끝에는 [AccumulateGrad](../91_glossary.ipynb#AccumulateGrad)가 있습니다. 리프 y에 딸린 노드로, 도착한 것을 y.grad에 더합니다. 그러니 기록은 결과에서 리프까지 거슬러 가는 [그래프](../91_glossary.ipynb#graph)입니다. [14장](../14_reading_the_graph.ipynb)에서 깊이 읽습니다.

# %% [markdown]
# ## float64 리프?
#
# `.double()`은 float32를 float64로 바꿉니다. 더 정확한 수를 쓰고 싶어서 텐서 뒤에 이것을 붙였다고 합시다.

# %%
course.ch02.p8

# %% tags=["F4"]
x = torch.tensor(2.0, requires_grad=True).double()
print(x.is_leaf, x.grad_fn)

# %% [markdown]
# `.double()`도 연산이고, 기록되었습니다. x는 그 결과입니다. 그 앞의 리프에는 이제 이름이 없고, x.grad는 계속 None일 겁니다. 대신 처음부터 어떤 리프를 원하는지 밝히세요: `torch.tensor(2.0, dtype=torch.float64, requires_grad=True)`.

# %% [markdown]
# ## 요약
#
# | 텐서 | requires_grad | is_leaf | grad_fn | backward 뒤의 .grad |
# |---|---|---|---|---|
# | 직접 만든 것 | False | True | None | None |
# | 직접 만든 것, `requires_grad=True` | True | True | None | 그래디언트 |
# | 그런 텐서로 계산한 결과 | True | False | 만든 연산 | None. retain_grad()를 하면 보관 |
# | 기록되지 않은 연산의 결과 | False | True | None | None |

# %% [markdown]
# ## 연습 문제
#
# **1.** x는 requires_grad=True이고 y = x * 2, c는 False이고 d = c + 1입니다. x, y, c, d 가운데 리프는? True나 False 네 개로 된 리스트로 답하세요.

# %%
answer = ...
course.ch02.q1.check(answer)


# %% [markdown]
# **2.** 리프 x를 받아, y = x³이고 z = ln(y)일 때 backward가 구한 dz/dy를 반환하는 함수를 쓰세요.

# %%
def middle(x):
    ...


course.ch02.q2.check(middle)


# %% [markdown]
# **3.** 배정밀도로 x³의 그래디언트를 구해야 하는데 None을 반환합니다. 고치세요.

# %%
def in_double(number):
    x = torch.tensor(number, requires_grad=True).double()
    y = x**3
    y.backward()
    return x.grad


course.ch02.q3.check(in_double)

# %% [markdown]
# **4.** x는 requires_grad=True이고 z = 2 * x + 1입니다. `z.grad_fn`의 이름은? 따옴표로 묶은 문자열로 답하세요.

# %%
answer = ...
course.ch02.q4.check(answer)

# %% [markdown]
# ## 다음
#
# 생각해 볼 질문. PyTorch는 중간 그래디언트를 버립니다. 언제 그것을 보고 싶을까요?
#
# [03 역전파](03_backward.ipynb): backward는 그래프로 무엇을 하고, 왜 한 번만 될까요? 이전: [01 도함수](01_derivative.ipynb).
#
# **따르는 자료** [자료 A “PyTorch Autograd”](../91_glossary.ipynb#Sources)의 프로그램 3~5, [자료 D “Backprop by Autograd”](../91_glossary.ipynb#Sources)의 첫 셀들.

# %% [markdown]
# # 01 도함수
#
# **배우는 것** 도함수가 무엇인지 말하고, 작은 간격으로 도함수를 재고, 그 간격을 잘 고르고, 연쇄 법칙으로 도함수를 이어 붙입니다.
#
# **필요한 것** [00 시작하기](00_welcome.ipynb), 그리고 학교에서 배운 x², x³, ln(x)의 도함수.
#
# **시간** 40분

# %%
import autograd_nb as torch
from autograd_nb import course, widgets
from autograd_nb.drawing import figures

# %% [markdown]
# ## 함수 하나로 끝까지
#
# 이 과정은 거의 내내 함수 하나를 봅니다. 두 단계로 되어 있습니다. 먼저 x에서 y = x³으로, 다음으로 y에서 z = ln(y)로 갑니다. 자연로그 ln을 프로그램에서는 `log`라고 씁니다. x = 5에서 계산하면 이렇습니다.

# %% tags=["A1"]
x = torch.tensor(5.0)
y = x**3
z = torch.log(y)
print(x)
print(y)
print(z)

# %% [markdown]
# 이 장의 질문은 이것입니다. x가 조금 커지면 z는 얼마나 커질까?
#
# ## 해 보기: 작은 간격
#
# x를 5에서 5.001로 옮기고 다시 계산합니다.

# %% tags=["A2"]
x2 = torch.tensor(5.001)
y2 = x2**3
z2 = torch.log(y2)
print(x2)
print(y2)
print(z2)

# %%
course.ch01.p1

# %% tags=["A2"]
print((z2 - z) / (x2 - x))

# %% [markdown]
# 올라간 높이를 간 거리로 나눈 것이 **기울기**입니다. 여기서는 0.5999로, 0.6에 가깝지만 0.6은 아닙니다. 이렇게 잰 기울기가 빗나가는 이유는 두 가지인데, 둘 다 곧 만나게 됩니다.
#
# ## 그림으로: 할선과 접선
#
# 곡선 위의 두 점을 지나는 직선을 *할선*이라고 합니다. 둘째 점이 멀리 x = 25에 있으면 기울기는 어떻게 될까요?

# %%
course.ch01.p2


# %%
def f(x):
    return torch.log(x**3)


figures.tangent(f, 5.0, steps=(20.0, 8.0, 2.0), around=(4.0, 22.0), name="ln(x³)")

# %% [markdown]
# h = 20인 할선의 기울기는 0.2414이고, h = 2이면 벌써 0.5047입니다. 둘째 점이 다가올수록 할선은 곡선에 닿기만 하는 직선인 *접선*에 가까워집니다. 접선의 기울기는 0.6000입니다.

# %% [markdown]
# ## 도함수는 극한이다
#
# 간격 h에 걸친 기울기는 h가 0으로 줄어들 때 어떤 수에 다가갑니다. 그 수가 x에서 f의 **미분계수**입니다. x마다 미분계수를 주는 함수가 **도함수**이고, df/dx라고 씁니다.
#
# $$\frac{df}{dx} = \lim_{h \to 0} \frac{f(x + h) - f(x)}{h}$$
#
# h = 1, 다음은 0.1, 이런 식으로 매번 10분의 1로 줄여 봅시다.

# %%
course.ch01.p3


# %% tags=["A0"]
def slope(f, x, h, dtype=torch.float64):
    here, there = torch.tensor(x, dtype=dtype), torch.tensor(x + h, dtype=dtype)
    return ((f(there) - f(here)) / (there - here)).item()


for h in (1.0, 0.1, 0.01, 0.001, 0.0001):
    print(f"h = {h:g}: {slope(f, 5.0, h):.5f}")

# %% [markdown]
# h = 0.001일 때 기울기가 0.59994입니다. 그러니 0.5999에서 모자란 몫은 대부분 간격이 충분히 작지 않아서 생긴 것이고, 나머지는 반올림입니다. 간격이 첫 번째 이유이고, 그 몫이 **절단 오차**입니다. h와 함께 줄어듭니다.
#
# 극한값 자체는 미분 공식으로 구할 수 있습니다. ln(x³) = 3 · ln(x)이고 ln(x)의 도함수는 1/x이므로, 도함수는 3/x, x = 5에서는 0.6입니다.

# %%
course.ch01.p4

# %%
print(f"{slope(f, 10.0, 0.0001):.5f}, {3 / 10.0}")

# %% [markdown]
# 미분계수는 점마다 다릅니다. 곡선이 완만해지면 기울기도 작아집니다. 도함수 3/x는 모든 점에서의 값을 한꺼번에 말해 줍니다.

# %% [markdown]
# ## 줄일수록 좋아질까?
#
# 그럼 h = 0.000001로 하면 끝나는 것 아닐까요? 지금까지는 약 16자리를 담는 `float64`를 썼습니다. PyTorch가 보통 쓰는 수는 약 7자리를 담는 `float32`입니다.

# %%
course.ch01.p5

# %% tags=["A2"]
for h in (0.1, 1e-2, 1e-4, 1e-5, 1e-6):
    print(f"h = {h:g}: {slope(f, 5.0, h, torch.float32):.4f}")

# %% [markdown]
# 좋아지는가 싶더니 0.5714, 0.5000으로 빗나갑니다. 마지막 간격에서 나누는 두 수를 들여다봅시다.

# %%
there = torch.tensor(5.0 + 1e-6)
print(f"run  {(there - 5.0).item():.3e}")
print(f"rise {(f(there) - f(torch.tensor(5.0))).item():.3e}")

# %% [markdown]
# 높이는 4.8쯤 되는 두 수의 차이인데, 두 수는 마지막 자리만 빼고 모두 같습니다. 남는 것은 그 마지막 자리뿐이고, 그 자리는 반올림된 것입니다. 거리도 우리가 바란 1e-06이 아닙니다. x + h가 먼저 float32로 반올림되었으니까요. 이것이 두 번째 이유인 **반올림 오차**입니다.

# %%
figures.difference_error(f, 5.0, name="ln(x³)")

# %% [markdown]
# 간격이 큰 오른쪽에서는 절단 오차가, 왼쪽에서는 반올림 오차가 큽니다. 그 사이의 골짜기는 float32에서는 h = 0.001 근처에 있고, float64에서는 훨씬 더 왼쪽에 있습니다. (운 좋게 오차가 전혀 없는 곳에서는 선이 끊깁니다. 로그 눈금에는 0이 없으니까요.)
#
# 그래서 기울기를 재는 것은 그래디언트를 *검산*하기에는 좋고([09장](../09_is_it_right.ipynb)에서 합니다), 구하기에는 나쁜 방법입니다.

# %% [markdown]
# ## 직접 해 보기
#
# 1. 점을 곡선을 따라 끌어 보세요. 접선은 어디서 가파르고 어디서 완만한가요?
# 2. h를 1에서 0.001까지 줄이세요. 주황색 할선이 초록색 접선이 됩니다.
# 3. 0.000001까지 더 줄이면서 float32 줄을 보세요. 기울기가 다시 멀어집니다.
# 4. 함수를 `x**2`로, 식을 `2*x`로 바꿔 보세요.
# 5. 함수를 `abs(x)`로 바꾸고 식을 지운 다음 x를 0으로 두세요. 그리고 h에 -1을 써넣어 왼쪽으로 가는 할선을 보세요.

# %%
widgets.tangent("log(x**3)", x=5.0, h=1.0, formula="3/x")


# %% [markdown]
# 마지막 함수는 꺾여 있습니다. 오른쪽에서 재면 h가 무엇이든 기울기가 1이고, 왼쪽에서 재면 -1입니다. 0에서는 극한이 없는데, autograd는 그 사이의 한 값인 0이라고 답합니다. 이렇게 꺾인 곳을 [kink(꺾인 점)](../91_glossary.ipynb#kink)라고 하며, 09장에서 다시 다룹니다.

# %% [markdown]
# ## 변수가 둘일 때: 편미분
#
# 지수도 변수로 둡시다: f(x, q) = x^q. 한쪽만 조금 움직이고 **다른 쪽은 고정합니다**. 이때의 기울기가 *편미분계수*(줄여서 편미분)이고, 둥근 ∂로 씁니다.
#
# $$\frac{\partial f}{\partial x} = \lim_{h \to 0} \frac{f(x + h, q) - f(x, q)}{h} \qquad \frac{\partial f}{\partial q} = \lim_{h \to 0} \frac{f(x, q + h) - f(x, q)}{h}$$

# %% tags=["A0"]
def power(x, q):
    return x**q


h = 1e-6
print(f"along x: {(power(5.0 + h, 3.0) - power(5.0, 3.0)) / h:.3f}")
print(f"along q: {(power(5.0, 3.0 + h) - power(5.0, 3.0)) / h:.3f}")

# %% [markdown]
# x 방향으로는 거듭제곱의 미분 공식대로 q · x^(q-1), 즉 75입니다. q 방향으로는 지수 함수이므로 기울기가 x^q · ln(x)입니다.

# %%
import math

print(3 * 5.0**2, f"{5.0**3 * math.log(5.0):.3f}")

# %%
course.ch01.p6

# %%
print(f"{power(5.01, 3.0) - power(5.0, 3.0):.3f}, {power(5.0, 3.01) - power(5.0, 3.0):.3f}")

# %% [markdown]
# 한 함수의 편미분을 모두 모은 것이 그 함수의 [그래디언트](../91_glossary.ipynb#gradient)입니다. 변수마다 수가 하나씩 있고, 그 변수에 따라 결과가 얼마나 빨리 커지는지를 말해 줍니다.
#
# ## 사슬의 고리
#
# z는 y에, y는 x에 의존합니다. x를 조금 움직이면 y가 움직이고, 그것이 다시 z를 움직입니다. 고리를 하나씩 따로 재 봅시다.

# %% tags=["A0"]
h = 1e-6
dy_dx = ((5.0 + h) ** 3 - 125.0) / h
dz_dy = (math.log(125.0 + h) - math.log(125.0)) / h
print(f"dy/dx {dy_dx:.3f}")
print(f"dz/dy {dz_dy:.5f}")

# %%
course.ch01.p7

# %% tags=["A0"]
dz_dx = (math.log((5.0 + h) ** 3) - math.log(125.0)) / h
print(f"{dz_dy * dy_dx:.4f} {dz_dx:.4f}")

# %% [markdown]
# 두 고리를 곱한 것과 전체를 한 번에 잰 것이 일치합니다. 이것이 [연쇄 법칙](../91_glossary.ipynb#chain-rule)입니다. 사슬을 따라가며 도함수를 곱합니다.
#
# $$\frac{dz}{dx} = \frac{dz}{dy} \cdot \frac{dy}{dx}$$
#
# autograd의 핵심은 이것이 전부입니다. 연산은 저마다 자기 고리의 도함수를 알고, `backward()`는 끝에서 처음으로 가며 그것들을 곱합니다.
#
# 이제 여러분이 `backward()`가 되어 봅시다. 그림에는 텐서마다 수가 적혀 있습니다. z에서 시작해 그래디언트를 쓰고 Enter를 누른 다음, 더 뒤의 칸으로 가세요.

# %%
course.ch01.p8

# %% [markdown]
# 움직임이 전해지는 것을 보세요. dx를 움직이고, 수마다 얼마나 움직이는지 읽어 보세요. 그다음 *역방향*을 고르면 z에는 1, y에는 0.008, x에는 0.008 · 75가 있습니다.

# %%
widgets.nudge(5.0)

# %% [markdown]
# ## 그럼 autograd는?
#
# autograd는 작은 간격으로 재지도 않고, 식을 변형하지도 않습니다. 지금의 수에서 고리마다 정확한 미분계수를 계산해 곱합니다. ▶를 눌러 가며 찾아보세요. 0.008은 몇 단계에 나타나고, 무엇이 그것을 0.6으로 바꾸나요?

# %%
x = torch.tensor(5.0, requires_grad=True)
y = x**3
z = torch.log(y)
torch.step(z.backward)

# %% [markdown]
# 먼저 y에서 z로 가는 고리인 1/125 = 0.008이 나오고, 다음으로 x에서 y로 가는 고리를 곱해 0.008 · 75가 됩니다. 끝에서 시작하는 것이죠. 03장에서 더 이야기합니다.
#
# 간격을 줄여 가는 두 표를 PyTorch에서 출력하면 이렇습니다. 첫째가 float32, 둘째가 float64입니다.

# %%
course.in_pytorch("A2b")

# %% [markdown]
# ## 요약
#
# | 용어 | 뜻 | 여기서는 |
# |---|---|---|
# | 기울기 | 간격 h 동안 올라간 높이를 거리로 나눈 것 | h = 0.001일 때 0.5999 |
# | 도함수 | h가 줄어들 때 기울기의 극한 | 3/x = 0.6 |
# | 절단 오차 | 간격이 유한해서 생긴다 | h가 클 때 |
# | 반올림 오차 | 자릿수가 유한해서 생긴다 | h가 작을 때 |
# | 편미분 | 변수 하나만 움직이고 나머지는 고정 | 75와 201.180 |
# | 연쇄 법칙 | 고리를 곱한다 | 0.008 · 75 = 0.6 |

# %% [markdown]
# ## 연습 문제
#
# **1.** f(x, q) = q · x²입니다. x = 2, q = 3에서 x 방향의 편미분은?

# %%
answer = ...
course.ch01.q1.check(answer)


# %% [markdown]
# **2.** 기울기는 x에서 x + h까지보다 x - h에서 x + h까지 재는 쪽이 더 좋습니다. 그렇게 재는 함수를 쓰세요.

# %%
def slope(f, x, h):
    ...


course.ch01.q2.check(slope)

# %% [markdown]
# **3.** y = 3x + 1이고 z = y²입니다. x = 2에서 dz/dx는?

# %%
answer = ...
course.ch01.q3.check(answer)

# %% [markdown]
# **4.** float32로 잰 5에서의 ln(x³)의 기울기가 0.001보다 적게 빗나가는 간격 h를 고르세요.

# %%
answer = ...
course.ch01.q4.check(answer)


# %% [markdown]
# **5.** x 방향의 편미분을 재야 하는데 q를 고정하지 않습니다. 고치세요.

# %%
def along_x(f, x, q, h):
    return (f(x + h, q + h) - f(x, q)) / h


course.ch01.q5.check(along_x)

# %% [markdown]
# ## 다음
#
# 생각해 볼 질문. 움직여서 재려면 입력마다 순전파를 한 번 더 해야 합니다. 가중치가 백만 개인 신경망이라면 얼마나 들까요?
#
# [02 리프](02_leaves.ipynb): 어떤 텐서가 그래디언트를 받고, 결과는 자기가 어디서 왔는지 어떻게 기억할까요? 이전: [00 시작하기](00_welcome.ipynb).
#
# **따르는 자료** [자료 A “PyTorch Autograd”](../91_glossary.ipynb#Sources)의 도입부와 프로그램 1~3.

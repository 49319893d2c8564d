# %% [markdown]
# # 00 시작하기
#
# **배우는 것** 이 과정에서 길을 찾고, 셀을 실행하고, 예측을 하고, 첫 그래디언트를 계산하고, 그것으로 직선을 학습시켜 봅니다.
#
# **필요한 것** 약간의 파이썬과 고등학교 미적분이면 됩니다. PyTorch는 몰라도 괜찮습니다.
#
# **시간** 30분

# %% [markdown]
# ## 무엇을 다루나요
#
# 신경망은 자기가 가진 수 하나하나에 같은 질문을 던지며 배웁니다. 이 수를 조금 키우면 오차는 커질까 작아질까, 그리고 얼마나 빨리 변할까?
#
# 그 답을 모두 모은 것이 [그래디언트(gradient)](../91_glossary.ipynb#gradient)입니다. PyTorch는 `backward()`를 한 번 불러서 수백만 개의 답을 구합니다. 이 과정은 그 한 번의 호출 안에서 무슨 일이 일어나는지 보여 줍니다.

# %% [markdown]
# ## 노트북 쓰는 법
#
# 노트북은 셀로 이루어져 있습니다. 바로 아래의 회색 셀을 클릭하고 **Shift+Enter**를 눌러 보세요. 셀이 실행되고 다음 셀이 선택됩니다. 대괄호 안의 번호는 셀이 실행된 순서입니다.

# %%
import autograd_nb as torch
from autograd_nb import course
from autograd_nb.drawing import figures

# %% [markdown]
# `autograd_nb`는 이 과정의 엔진입니다. PyTorch가 그래디언트를 구하는 방식을, 읽을 수 있을 만큼 작게 다시 만들었습니다. PyTorch에서 쓰는 짧은 이름 그대로 불러오므로 셀의 코드는 PyTorch 코드와 똑같습니다. PyTorch가 있다면 그 줄을 `import torch`로 바꿔 보세요. PyTorch의 이름만 쓰는 셀은 거의 모두 같은 결과가 나옵니다. `torch.step`처럼 우리가 만든 도구는 그때 `autograd_nb`에서 불러와야 합니다. `autograd_nb.as_torch()`를 부른 다음에는 `import torch`라고 쓴 프로그램도 이 엔진에서 돌아갑니다. `course`는 여러분에게 문제를 내는 쪽입니다.

# %%
2 + 3

# %% [markdown]
# 노트북은 셀 마지막 줄의 값을 셀 아래에 보여 줍니다. 다른 것도 보고 싶으면 `print`를 쓰세요.

# %%
print("first")
print("second")
"last"

# %% [markdown]
# | 키 | 하는 일 |
# |---|---|
# | Shift+Enter | 셀을 실행하고 다음 셀로 |
# | Ctrl+Enter | 셀을 실행하고 그 자리에 |
# | Enter, Esc | 셀 편집 시작, 끝 |
# | A, B (Esc 다음에) | 위, 아래에 셀 추가 |
# | Shift+Tab (괄호 안에서) | 함수 설명 보기 |
# | Ctrl+S | 저장 |

# %% [markdown]
# 셀은 마음껏 바꿔 보세요. 그러라고 있는 것입니다. 변수의 값은 셀에서 셀로 이어지므로, 한 장은 위에서부터 한 셀씩 실행하세요. 다른 날 이어서 하거나 **Kernel → Restart Kernel**을 고른 뒤에는, 먼저 **Run → Run All Above Selected Cell**을 고르세요.

# %% [markdown]
# ## 텐서
#
# 수는 *텐서*(tensor)에 담깁니다. 수 하나일 수도, 한 줄일 수도, 표일 수도, 그 이상일 수도 있습니다.

# %%
print(torch.tensor(4.0))
print(torch.tensor([1.0, 2.0, 3.0]))

# %% [markdown]
# 텐서는 수처럼 계산할 수 있습니다. 4.0의 소수점은 중요합니다. *조금* 움직일 수 있는 것은 소수점이 있는 수뿐이고, 그래디언트는 바로 그 조금의 움직임에 관한 것이니까요.

# %%
x = torch.tensor(4.0)
x**2

# %% [markdown]
# ## 예측하고, 실행하고, 이유를 확인하기
#
# 틀린 예측에서 가장 많이 배웁니다. 그래서 중요한 셀 앞에는 질문 카드가 있습니다. 먼저 답을 정하고 **확인**을 눌러 이유를 읽은 다음, 다음 셀을 실행하세요.
#
# 첫 질문입니다. x = 4에서 x²은 얼마나 빨리 커질까요? 먼저 직접 해 봅시다. x를 조금 움직이고 x²이 얼마나 움직이는지 봅니다.

# %%
h = 0.01
print(f"{4.0**2:.4f}, {(4.0 + h) ** 2:.4f}")

# %%
course.ch00.p1

# %%
slope = ((4.0 + h) ** 2 - 4.0**2) / h
print(f"{slope:.2f}")

# %% [markdown]
# 8보다 조금 큽니다. 간격이 한없이 작지는 않았기 때문입니다. 간격을 0으로 줄여 갈 때의 정확한 답이 *미분계수*입니다. 학교에서 배운 대로 x²의 도함수는 2x이므로 x = 4에서는 8입니다. [01장](01_derivative.ipynb)에서 천천히 다룹니다.

# %% [markdown]
# ## 첫 그래디언트
#
# 이제 autograd에게 맡겨 봅시다. x의 그래디언트를 원한다고 밝혀 두고, 계산은 전과 똑같이 합니다.

# %%
x = torch.tensor(4.0, requires_grad=True)
y = x**2
y

# %% [markdown]
# `grad_fn=<PowBackward0>`가 새로 보입니다. y가 거듭제곱에서 나왔다는 것을 기억하고 있다는 뜻입니다. 이런 기록은 02장에서 자세히 봅니다.
#
# `y.backward()`는 이 기록을 y에서 x까지 되짚어 가서, 구한 값을 `x.grad`에 남깁니다. 기록은 그때 쓰이고 없어지므로, 그 셀을 다시 실행하려면 y를 계산하는 셀을 먼저 다시 실행하세요.

# %%
course.ch00.p2

# %%
y.backward()
x.grad

# %% [markdown]
# x를 움직여 보지도 않았고 도함수를 적어 주지도 않았습니다. 그래디언트에는 부호도 있습니다.

# %%
course.ch00.p3

# %%
x = torch.tensor(-3.0, requires_grad=True)
(x**2).backward()
x.grad

# %% [markdown]
# 음수입니다. 0의 왼쪽에서는 x가 커질 때 x²이 *줄어듭니다*. 크기는 얼마나 빨리 변하는지를, 부호는 어느 쪽으로 변하는지를 말해 줍니다. 신경망이 자기 수를 어느 쪽으로 바꿔야 할지 아는 데는 이것이면 충분합니다.

# %% [markdown]
# ## 움직이는 모습 보기
#
# 연산 두 개를 이어 보겠습니다. 이 셀은 만져 볼 수 있는 **위젯**을 만듭니다. ▶를 누르거나 위젯을 클릭하고 → 키를 눌러서, 주황색 그래디언트가 y에서 x까지 돌아오는 길을 따라가 보세요. (**재생**은 저절로 넘어갑니다.)

# %%
x = torch.tensor(0.5, requires_grad=True)
s = torch.sin(x)
y = s**2
torch.step(y.backward)

# %% [markdown]
# 회색 상자 하나가 연산 하나입니다. 상자는 “sin의 도함수는 cos”처럼 자기의 작은 규칙과, 그 규칙을 쓰려고 기억해 둔 것만 알고 있습니다. sin은 입력 0.5를 기억합니다. 문장에 나오는 `grad_output`은 오른쪽에서 들어온 값이고, 규칙은 그것을 왼쪽으로 나갈 값으로 바꿉니다. y에서는 1로 시작합니다. y는 y와 똑같은 빠르기로 커지니까요. `+=`는 도착한 값을 x.grad에 더합니다. [03장](03_backward.ipynb)까지 가면 모든 단계를 설명할 수 있게 됩니다.

# %% [markdown]
# 위젯은 커널이 돌고 있어야 움직입니다. 그림만 보인다면 셀을 실행하세요. 커널을 새로 시작했다면 위의 셀들을 먼저 실행하세요. 위젯에서는 무엇을 해도 망가지지 않습니다.

# %% [markdown]
# ## 오류가 날 때
#
# 오류도 이 과정의 일부입니다. 몇몇 셀은 *일부러* 실패하게 했고, 그럴 때는 본문에서 밝힙니다.

# %%
course.ch00.p4

# %% tags=["raises-exception"]
torch.tensor(4.0).backward()

# %% [markdown]
# 오류에서 중요한 것은 PyTorch의 메시지입니다. 여기서는 `RuntimeError`로 시작하는 줄입니다. 이 오류는 `grad_fn`이 없다고 합니다. 그래디언트를 요청한 것이 없어서 아무것도 기록되지 않았다는 뜻입니다. 문구는 PyTorch의 것 그대로입니다. [오류 클리닉](../92_error_clinic.ipynb#Nothing-to-go-back-through)에는 오류마다 원인과 해결책이, [용어집](../91_glossary.ipynb)에는 이 과정의 용어가 있습니다(둘 다 영어). (이런 링크는 처음 클릭하면 페이지만 열릴 때가 있습니다. 한 번 더 클릭하면 그 자리로 갑니다.)

# %% [markdown]
# ## 정말 PyTorch도 이렇게 하나요?
#
# `course.in_pytorch`는 한 실험에 대해 PyTorch 2.13이 출력한 것을 그 프로그램과 함께 보여 줍니다. PyTorch가 설치되어 있으면 그 프로그램을 셀에 붙여 넣어 견주어 보세요. 다음은 x³과 그 로그로, 다음 장은 여기서 시작합니다.

# %%
course.in_pytorch("A1")

# %% [markdown]
# ## 직선이 스스로 배운다
#
# 그래디언트는 어디에 쓸까요? 점 여덟 개가 있고, 이 점들을 지나야 할 직선 w · x + b가 있습니다. *손실*(loss)은 직선이 점들에서 얼마나 빗나가는지를 말해 주는 수로, 거리의 제곱을 평균한 것입니다. w로 직선을 기울이고 b로 올려 보세요. 손실을 얼마나 줄일 수 있나요?

# %%
from autograd_nb import widgets

xs = torch.tensor([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
ys = torch.tensor([0.9, 1.2, 2.2, 2.3, 3.1, 3.2, 4.3, 4.4])
widgets.line(xs, ys)

# %% [markdown]
# 여러분이 찾은 가장 작은 손실을 기억해 두세요. 이제 그래디언트가 같은 곳에서 시작합니다. w와 b가 0이라서 직선은 바닥에 누워 있습니다.

# %%
w, b = torch.tensor(0.0, requires_grad=True), torch.tensor(0.0, requires_grad=True)
loss = ((w * xs + b - ys) ** 2).mean()
loss

# %%
course.ch00.p5

# %%
loss.backward()
w.grad, b.grad

# %% [markdown]
# 둘 다 음수입니다. w나 b가 커지면 손실이 줄어듭니다. 그러니 두 수를 그래디언트의 *반대쪽*으로 조금씩 바꾸고, 그래디언트를 비우고, 다시 물어봅니다. 이것을 이백 번 합니다.

# %%
lines = [(0.0, 0.0)]
for step in range(200):
    with torch.no_grad():
        w -= 0.04 * w.grad
        b -= 0.04 * b.grad
    w.grad = b.grad = None
    ((w * xs + b - ys) ** 2).mean().backward()
    lines.append((w.item(), b.item()))

# %%
figures.fit(xs, ys, lines, after=(0, 5, 200))

# %% [markdown]
# 손실은 0.0426입니다. 여러분의 손실도 이만큼 작았나요? 소수점 아래 네 자리까지 보면 이보다 작은 직선은 없습니다. 이것이 학습입니다. 직선에게 어디로 가라고 알려 준 것은 없고, 지금 얼마나 빗나가는지만 알려 주었습니다. 신경망에는 수가 더 많고 직선 대신 곡선이 있지만, 이 반복은 그대로입니다. [16장](../16_training.ipynb)(영어)에서 PyTorch의 부품으로 다시 씁니다.

# %% [markdown]
# ## 요약
#
# | | |
# |---|---|
# | `torch.tensor(4.0, requires_grad=True)` | 그래디언트를 구하려는 수 |
# | `y = x**2` | 계산하면서 어떻게 했는지 기록한다 |
# | `y.backward()` | 기록을 되짚어 간다 |
# | `x.grad` | x가 커질 때 y가 커지는 빠르기. 줄어드는 곳에서는 음수 |
# | `torch.step(y.backward)` | 되돌아가는 길을 한 단계씩 보여 준다 |
# | `w -= 0.04 * w.grad` | 그래디언트의 반대쪽으로 한 걸음. 손실이 줄어든다 |

# %% [markdown]
# ## 연습 문제
#
# `...` 자리에 답을 쓰고 셀을 실행하세요. 틀리면 왜 틀렸는지 알려 줍니다. 그 아래에는 버튼이 네 개 있습니다. **채점**은 셀을 다시 실행하고, **힌트**는 힌트를 하나씩 보여 주고, **풀이**는 풀이를 보여 주고, **처음 상태로**는 셀을 처음 모습으로 되돌립니다.
#
# **1.** x = 4에서 x²의 그래디언트는?

# %%
answer = ...
course.ch00.q1.check(answer)


# %% [markdown]
# **2.** 텐서 x를 받아 x² + 3x를 계산하고, x에서의 그래디언트를 반환하는 함수를 쓰세요. (x는 이미 requires_grad=True입니다.)

# %%
def gradient(x):
    ...


course.ch00.q2.check(gradient)

# %% [markdown]
# **3.** x² - 6x의 그래디언트가 0이 되는 x는?

# %%
answer = ...
course.ch00.q3.check(answer)


# %% [markdown]
# **4.** 어떤 수에서 √x의 그래디언트를 반환해야 하는 함수인데 실패합니다. 직접 호출해서 오류를 읽고 고치세요.

# %%
def slope_of_root(number):
    x = torch.tensor(number)
    y = torch.sqrt(x)
    y.backward()
    return x.grad


course.ch00.q4.check(slope_of_root)

# %% [markdown]
# 답과 예측은 노트북 옆의 `autograd-nb-progress` 폴더에 저장됩니다. 셀을 하나 만들어 다음 세 가지를 실행해 볼 수 있습니다. `course.progress()`는 장마다 진도 막대를 보여 줍니다. `course.home()`은 과정의 목차와 장마다 어디까지 했는지, 어디서 이어 가면 되는지를 보여 줍니다. `course.review()`는 문제 열 개를 다시 내는데, 몰랐던 것부터 냅니다.

# %% [markdown]
# ## 다음
#
# 생각해 볼 질문. 신경망에 수가 백만 개 있다면, 손실이 어떻게 변하는지 보려고 하나하나 움직여 보시겠습니까?
#
# [01 도함수](01_derivative.ipynb)에서는 조금 움직여 보는 일을 자세히 들여다봅니다. 도함수란 무엇인지, 그리고 왜 간격이 작을수록 늘 좋은 것은 아닌지 알아봅니다. 각 장은 앞 장을 바탕으로 하므로 차례대로 보세요. 마음대로 실험해 보고 싶을 때는 언제든 [놀이터](../90_playground.ipynb)를 쓰면 됩니다.

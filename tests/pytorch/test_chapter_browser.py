"""Chapter 18 in a real JupyterLab: run as it stands, and its stepper walked by keyboard."""

import house
import pytest
from widget_page import says, until

pytest.importorskip("torch", reason="the chapter is about torch, which is not installed")
pytestmark = pytest.mark.browser


def test_the_chapter_runs_and_is_stepped_by_keyboard(lab):
    codes = [source for _, source in house.cells(house.chapter("18"), "code")]
    last = next(place for place, code in enumerate(codes) if "fill_(-20" in code)
    page = lab.notebook(*codes[:last], height=1600)
    until(lambda: page.locator(".anb").count() >= 1, 60)
    stepper = page.locator(".anb").first
    stepper.scroll_into_view_if_needed()
    says(stepper, "Backward pass starts at z with the gradient 1.")
    stepper.get_by_role("slider").first.focus()
    page.keyboard.press("ArrowRight")
    says(stepper, "LogBackward0 turns ∂z/∂z into ∂z/∂(x**3): grad_output / (x**3) = 1 / 125 = 0.008.")
    page.keyboard.press("End")
    says(stepper, "The backward pass is done.")

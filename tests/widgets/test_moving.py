"""A stepper saved as a picture that moves: at each moment it shows what the stepper shows at that step."""

import re
from xml.etree import ElementTree

import pytest
from widget_page import until

import autograd_nb as torch
from autograd_nb import record, step


@pytest.fixture
def stepper():
    x = torch.tensor(5.0, requires_grad=True)
    return step(record(lambda: torch.log(x**3).backward()))


def test_it_has_neither_script_nor_address_and_says_its_steps(stepper):
    svg = stepper.as_moving()
    assert "<script" not in svg and "href" not in svg and svg.count("http") == 1
    for told in stepper.trace.steps():
        assert told.sentence.split(". ")[0].split(";")[0][:30] in re.sub("<[^>]+>", " ", svg).replace("&#x27;", "'")


def test_every_frame_is_over_in_time_and_the_first_gradient_takes_six_to_ten_seconds(stepper):
    (seconds,) = {float(found) for found in re.findall(r"animation:\w+ ([\d.]+)s", stepper.as_moving())}
    assert 6 <= seconds <= 10


def test_without_motion_it_shows_the_last_step(stepper):
    svg = stepper.as_moving()
    still = [text for part in ElementTree.fromstring(svg) if part.get("visibility") != "hidden"
             for text in part.itertext() if not part.tag.endswith("desc")]  # fmt: skip
    assert "The backward pass is done." in still and "0.6" in still
    assert not any("is recorded" in text for text in still)
    assert "@media (prefers-reduced-motion: reduce){g{animation:none!important}}" in svg


def test_a_long_recording_becomes_some_steps_of_its_last_backward_pass_and_says_so():
    model = torch.nn.Sequential(*(torch.nn.Linear(30, 30) for _ in range(30)))
    with record() as trace:  # in no loop, whose last turn alone would be shown
        model(torch.ones(4, 30)).sum().backward()
        model(torch.ones(4, 30)).sum().backward()
    steps = trace.steps()
    assert len(steps) > 200
    svg = trace.step().as_moving()
    words = " ".join(re.sub("<[^>]+>", " ", svg).split())
    assert len(svg) < 1_000_000 and len(set(re.findall("@keyframes (s\\d+)", svg))) <= 3 * 60
    assert f"Of the {len(steps)} steps it shows some, of the last backward pass alone." in words
    assert "The backward pass is done." in words and "is recorded" not in words


VISIBLE = """() => [...document.querySelectorAll('text')].filter(each =>
    getComputedStyle(each).visibility === 'visible').map(each => each.textContent)"""
PAUSED = """(moment) => document.getAnimations().forEach(each => { each.pause(); each.currentTime = moment; })"""


@pytest.mark.browser
def test_each_moment_shows_one_sentence_and_its_values(stepper, opened, tmp_path):
    stepper.save(tmp_path / "walk.svg")
    page = opened(tmp_path / "walk.svg", reduced_motion="no-preference")
    total = float(re.search(r"animation:\w+ ([\d.]+)s", stepper.as_moving())[1])
    firsts = [told.sentence[:20] for told in stepper.trace.steps()]
    seen = []
    for moment in range(0, int(1000 * total), 100):
        page.evaluate(PAUSED, moment)
        texts = page.evaluate(VISIBLE)
        (now,) = [place for place, first in enumerate(firsts) if any(text.startswith(first) for text in texts)]
        seen.append(now)
        assert ("0.6" in texts) == (now >= 4), texts
    assert sorted(set(seen)) == list(range(len(firsts))) and seen == sorted(seen)
    page.emulate_media(reduced_motion="reduce")
    until(lambda: any(text.startswith(firsts[-1]) for text in page.evaluate(VISIBLE)))

"""Every control of every widget of every chapter: what it shows is what Python holds, and where its knob stands."""

import functools
import math
import re
import time
from decimal import Decimal

import chapter_widgets
import pytest
from test_any_host_browser import Host, sendable
from widget_page import menu, put, until

pytestmark = pytest.mark.browser
LINES = chapter_widgets.lines()
# Of widgets of one kind the first is driven, and the others, which have the same controls, each night
DRIVEN = {name.partition(": ")[2]: name for name in reversed(LINES)}.values()

# What the page shows of each slider
SLIDERS = """root => [...root.querySelectorAll(".anb-slider")].map((each) => {
    const [knob, field] = each.querySelectorAll("input");
    return { name: knob.ariaLabel, knob: Number(knob.value), step: knob.step,
             ends: [Number(knob.min), Number(knob.max)],
             text: field.value, off: knob.disabled,
             error: each.querySelector(".anb-error").textContent,
             invalid: field.ariaInvalid === "true" };
})"""
# Texts of which a part is covered or cut off
CUT = """async (root) => {
    const hidden = ".anb-hidden, option, textarea, style, [hidden], title, desc, .anb-scrolls:not(.anb-rows-box)";
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), found = [];
    const holds = (there, x) => there.getBoundingClientRect().left <= x && x <= there.getBoundingClientRect().right;
    const shows = (home, there, x) => there && (home.contains(there) || (home.ownerSVGElement
        ? there.closest(".anb-picture") : there.contains(home) && holds(there, x)));
    while (walk.nextNode()) {
        const { parentElement: home, textContent } = walk.currentNode;
        if (!textContent.trim() || home.closest(hidden)) continue;
        if (!home.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
        const range = document.createRange();
        range.selectNodeContents(walk.currentNode);
        if (!(range.getClientRects()[0]?.width > 2)) continue;
        home.scrollIntoView({ block: "center", inline: "nearest" });
        const { left, right, top, bottom } = range.getClientRects()[0];
        for (const x of [left + 1, right - 1.5]) {
            const there = home.getRootNode().elementFromPoint(x, (top + bottom) / 2);
            const told = `${textContent.trim().slice(0, 40)} in ${home.localName}: ${there?.localName}`;
            if (!shows(home, there, x) && !found.includes(told)) found.push(told);
        }
    }
    return found;
}"""


# What each control shows; a text under way and the switches of a chosen tensor are of one view alone
SHOWN = """(root) => [...root.querySelectorAll("button, input, select, textarea")]
    .filter((each) => !each.closest(".anb-stepping, .anb-strip") && !each.matches(".anb-hooks input"))
    .map((each) => [each.type, each.ariaLabel ?? each.labels?.[0]?.textContent ?? each.textContent, each.disabled,
        each.type === "checkbox" ? each.checked : each.localName === "button" ? each.ariaPressed : each.value])"""
# Which controls are in sight but sliders and their fields, and the choices that each has beside the present one
USABLE = """(root) => {
    for (const each of root.querySelectorAll("details")) each.open = true;
    const counts = {};
    return [...root.querySelectorAll("button, input, select, textarea")].map((each, place) => {
        const name = `${each.type} ${each.ariaLabel ?? each.labels?.[0]?.textContent ?? each.textContent}`;
        counts[name] = (counts[name] ?? 0) + 1;
        const off = !each.checkVisibility() || each.disabled || each.readOnly;
        return { place, type: each.type, name: `${name} ${counts[name]}`, pressed: each.ariaPressed,
            others: [...each.options ?? []].filter((option) => !option.selected).map(({ value }) => value),
            usable: !off && !each.closest(".anb-slider, .anb-history, .anb-stepping") };
    }).filter(({ usable }) => usable);
}"""


class Controls:
    """The sliders of a widget in a page, beside the numbers of its Python side."""

    def __init__(self, host, widget):
        self.host, self.widget, self.shown, self.faults = host, widget, host.show(widget), []
        self.known, self.used, self.ways = dict(numbers_of(widget)), 0, {}

    def fresh(self):
        """What the controls of a new view show of the same state."""
        state = sendable(self.widget.get_state())
        return self.host.page.evaluate(f"(state) => host.another(state, {SHOWN})", state)

    def held(self):
        """``{name: value}`` in Python of each tick, choice and text of a lesson."""
        kinds = "toggle", "choice", "text"
        return {spoken(self.widget, part["name"]): getattr(self.widget, part["name"])
                for part in flat(getattr(self.widget, "sheet", ())) if part["kind"] in kinds}  # fmt: skip

    def told(self):
        """The same in the page."""
        there = {name: value for kind, name, _, value in self.shown.evaluate(SHOWN) if kind not in ("button", "range")}
        return {name: there.get(name) for name in self.held()}

    def sliders(self):
        return {each["name"]: each for each in self.shown.evaluate(SLIDERS)}

    def settle(self):
        self.host.until(lambda: self.shown.get_attribute("aria-busy") in (None, "false"))

    def rest(self):
        """Settle after a change of the layout, too, which some widgets tell Python."""
        self.settle()
        self.shown.evaluate("() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
        self.settle()

    def place(self, name):
        get, logarithmic = self.known[name]
        value = get()
        return math.log10(abs(value)) if logarithmic and value else value

    def agree(self, when, but=()):
        """Note where a number shown, Python's and the knob differ."""
        self.settle()
        for name, it in self.sliders().items():
            value, place, (low, high) = self.known[name][0](), self.place(name), it["ends"]
            step = 0 if it["step"] == "any" else float(it["step"])
            if name not in but:
                shown = float(it["text"]) if is_number(it["text"]) else None
                if shown is None or not math.isclose(shown, value, rel_tol=1e-5, abs_tol=1e-12):
                    self.faults.append(f"{name} {when}: shows {it['text']}, Python has {value}")
                if it["error"] or it["invalid"]:
                    self.faults.append(f"{name} {when}: keeps the message {it['error']!r}")
            if abs(it["knob"] - place) > step / 2 + 0.001 * (high - low):
                self.faults.append(f"{name} {when}: the knob stands at {it['knob']}, {value} is at {place}")

    def inside(self, when):
        if not self.shown.evaluate("root => root.contains(root.getRootNode().activeElement)"):
            self.faults.append(f"{when}: the focus is lost")

    def drag(self, name, share, moves=8):
        """Drag a knob to a share of its way."""
        knob, mouse = self.knob(name), self.host.page.mouse
        knob.scroll_into_view_if_needed()
        box, it = knob.bounding_box(), self.sliders()[name]
        low, high = it["ends"]
        across = box["width"] - 16
        at = [box["x"] + 8 + across * each for each in ((it["knob"] - low) / (high - low), share)]
        middle = box["y"] + box["height"] / 2
        mouse.move(at[0], middle)
        mouse.down()
        mouse.move(at[1], middle, steps=moves)
        mouse.up()
        self.settle()

    def knob(self, name):
        return self.shown.get_by_role("slider", name=name, exact=True)

    def field(self, name):
        return self.shown.get_by_label(f"{name}, value", exact=True)


def flat(parts):
    for part in parts:
        yield part
        yield from flat(part.get("parts", ()))


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def spoken(widget, name):
    """What a screen reader calls a control."""
    words = widget.all_words()
    return words.get(f"{name}_name") or words.get(name, name)


def numbers_of(widget):
    """``(name, (function that gives the number, whether its slider is logarithmic))`` of each number."""
    for part in flat(getattr(widget, "sheet", ())):
        get = functools.partial(getattr, widget, part["name"]) if widget.has_trait(part.get("name", "")) else None
        if part["kind"] == "slider":
            yield spoken(widget, part["name"]), (get, part.get("log"))
        elif part["kind"] == "sliders":
            name = spoken(widget, part["name"])
            for place in range(len(get())):
                yield name.format(place=place), (lambda get=get, place=place: get()[place], False)
    for each in widget.inputs if hasattr(widget, "expression") else ():
        def find(place, name=each["name"]):
            value = getattr(widget, name)
            for at in place:
                value = value[at]
            return value
        for place in places(each["shape"]):
            yield each["name"] + (f"[{', '.join(map(str, place))}]" if place else ""), (
                functools.partial(find, place), False)


def places(shape):
    return [(at, *rest) for at in range(shape[0]) for rest in places(shape[1:])] if shape else [()]


def refused_stays(controls, name, text):
    put(controls.field(name), text)
    controls.settle()
    it = controls.sliders()[name]
    if it["text"] != text or not it["error"] or not it["invalid"]:
        controls.faults.append(f"{name}: {text!r} is not refused with a message")
    controls.agree(f"after {text!r} was refused", but={name})


def all_of_a_slider(controls, name):
    """Drag, key, typed, refused, Undo, Reset; what goes wrong is noted."""
    it = controls.sliders()[name]
    if it["off"]:
        return
    (low, high), get = it["ends"], controls.known[name][0]
    first, count = get(), controls.widget.undoable
    near = (it["knob"] - low) / (high - low)
    controls.drag(name, 0.75 if near < 0.5 else 0.25)
    controls.agree(f"after {name} was dragged")
    controls.inside(f"{name} dragged")
    if get() == first:
        controls.faults.append(f"{name}: a drag moves nothing")
    if controls.widget.undoable != count + 1:
        controls.faults.append(f"{name}: a drag makes {controls.widget.undoable - count} undo entries")
    before = get()
    controls.knob(name).press("ArrowLeft" if near < 0.5 else "ArrowRight")
    controls.agree(f"after a key moved {name}")
    if get() == before:
        controls.faults.append(f"{name}: a key moves nothing")
    value = Decimal(str(get()))
    before = get()
    put(controls.field(name), str(value.quantize(Decimal(1)) if value > 2 else first))
    controls.agree(f"after {name} was typed")
    controls.inside(f"{name} typed")
    if get() != before:
        menu(controls.shown, "Undo")
        controls.agree(f"after Undo of {name} typed")
        if get() != before:
            controls.faults.append(f"{name}: Undo of what was typed gives {get()}, not {before}")
    refused_stays(controls, name, "abc")
    menu(controls.shown, "Reset")
    controls.agree(f"after Reset of {name}")
    refused_stays(controls, name, "1e")
    menu(controls.shown, "Reset")
    controls.agree(f"after Reset of a draft of {name}")
    put(controls.field(name), "1000")
    controls.settle()
    if get() != 1000 and "1000 is not" not in controls.sliders()[name]["error"]:
        controls.faults.append(f"{name}: 1000 is refused without a word")
    menu(controls.shown, "Reset")
    controls.agree(f"after Reset of 1000 in {name}")
    if controls.sliders()[name]["ends"] != it["ends"]:
        controls.faults.append(f"{name}: its ends were {it['ends']}, after Reset {controls.sliders()[name]['ends']}")


ANY = "button, input, select, textarea"
WHOLE = re.compile("Show every control|Large|Predict first|: show the moment")  # modes and lines of a bench


def every_other_control(controls):
    """Use each tick, choice, button and text; Undo takes it back; then those that come into sight by one of these."""
    first = controls.shown.evaluate(USABLE)
    controls.ways = dict.fromkeys(it["name"] for it in first)
    for it in first:
        for other in (it["others"][:1] + it["others"][1:][-1:]) or [""]:
            use(controls, it["name"], other)
    for name, way in [*controls.ways.items()]:
        if way and not WHOLE.search(name + way[0]):
            act(controls, *way)
            others = [each["others"] for each in controls.shown.evaluate(USABLE) if each["name"] == name]
            if others:  # a menu may close with its use
                use(controls, name, *others[0][:1] or [""])
            menu(controls.shown, "Reset")
            controls.rest()


def found(shown, name):
    """What is known of a control in sight, and the control."""
    (it,) = (each for each in shown.evaluate(USABLE) if each["name"] == name)
    return it, shown.locator(ANY).nth(it["place"])


def act(controls, name, other):
    it, control = found(controls.shown, name)
    control.focus()
    if it["type"] in ("button", "checkbox"):
        control.click()
    elif it["others"]:
        control.select_option(other)
    else:
        control.fill("x + (")
        control.press("Control+Enter" if it["type"] == "textarea" else "Enter")
    controls.rest()
    if control.count() and control.get_attribute("aria-pressed") == "true" != it["pressed"]:
        control.click()  # what plays is paused
        controls.rest()
    return it, control


def use(controls, name, other):
    widget, shown, what = controls.widget, controls.shown, f"{name} {other}".strip()
    before, count, looks = widget.settings(), widget.undoable, shown.evaluate(SHOWN)
    it, control = act(controls, name, other)
    controls.used += 1
    refused = control.get_attribute("aria-invalid") == "true" if control.count() else False
    if it["type"].startswith("text") and not refused:
        controls.faults.append(f"{what}: a broken text is not marked")
    controls.inside(f"after {what}")
    if "Step it" in name:
        shown.get_by_role("button", name="Close the stepper").click()
        controls.rest()
        controls.inside("after the stepper was closed")
    fresh = controls.fresh()
    if not refused and shown.evaluate(SHOWN) != fresh:
        controls.faults.append(f"after {what}: shows {differing(shown.evaluate(SHOWN), fresh)}")
    for each in shown.evaluate(USABLE):
        controls.ways.setdefault(each["name"], (name, other))
    if widget.settings() != before:
        if widget.undoable != count + 1:
            controls.faults.append(f"{what}: makes {widget.undoable - count} undo entries")
        menu(shown, "Undo")
        controls.rest()
        controls.inside(f"after Undo of {what}")
    elif it["type"] == "checkbox":  # one of the page's modes
        found(shown, name)[1].click()
        controls.rest()
    if widget.settings() != before or controls.held() != controls.told() or shown.evaluate(SHOWN) != looks:
        controls.faults.append(f"Undo of {what}: {differing(shown.evaluate(SHOWN), looks)}")


def differing(one, other):
    return [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]] or (len(one), len(other))


def undo_keeps_the_focus(controls, name):
    """Undo of the only change: its button cannot be pressed any more, and its neighbour gets the focus."""
    while controls.widget.undoable:
        controls.widget.do_undo()
    put(controls.field(name), "0.7")
    controls.settle()
    menu(controls.shown, "Undo")
    controls.settle()
    controls.inside("after Undo of the only change")


def a_removed_line_hands_on_the_focus(controls):
    remove = controls.shown.locator(".anb-line .anb-button")
    for _ in range(remove.count()):
        remove.last.click()
        controls.settle()
        controls.inside("after ✕ at the last line")


def a_refused_hook_is_told(controls):
    """The message about a hook of one's own stays, so that the test of cut texts finds it."""
    hooks = controls.shown.locator(".anb-at:visible .anb-hooks select")
    if hooks.count():
        hooks.last.select_option("own")
        put(controls.shown.locator(".anb-hooks input:visible").first, "grad *")
        controls.host.until(lambda: controls.widget.refused)


@pytest.fixture(scope="module")
def page(browser):
    made = Host(browser)
    yield made
    assert made.wrong == []
    made.page.close()


@pytest.fixture
def host(page):
    yield page
    page.page.set_viewport_size({"width": 1280, "height": 1000})
    until(lambda: page.page.evaluate("() => host.end()") == [])


@pytest.mark.parametrize("name", LINES)
def test_each_number_is_the_same_in_its_field_in_python_and_at_its_knob(host, name, progress, request):
    controls = Controls(host, chapter_widgets.made(*LINES[name]))
    assert controls.known.keys() >= controls.sliders().keys()
    controls.agree("at the start")
    for each in controls.sliders() if name in DRIVEN or request.config.getoption("--nightly") else ():
        all_of_a_slider(controls, each)
    menu(controls.shown, "Reset")
    controls.settle()
    every_other_control(controls)
    if name.endswith("bench"):
        undo_keeps_the_focus(controls, next(iter(controls.known)))
        a_removed_line_hands_on_the_focus(controls)
        menu(controls.shown, "Reset")
        a_refused_hook_is_told(controls)
    cut = {}
    for width in (1280, 1024, 863, 462):
        host.page.set_viewport_size({"width": width, "height": 800})
        controls.rest()
        until(lambda: host.page.evaluate("() => document.getAnimations().length") == 0)
        cut[width] = controls.shown.evaluate(CUT)
    assert (controls.faults, {width: each for width, each in cut.items() if each}) == ([], {})


@pytest.mark.parametrize("name", LINES)
def test_after_the_release_of_a_slider_the_program_is_there_in_less_than_the_third_of_a_second(name):
    """Of the processor's time. A front end sends the newest value when the one before is done: two are computed."""
    widget = chapter_widgets.made(*LINES[name])
    ends = [(part["name"], part[end]) for part in parts_of(widget) for end in ("min", "max")]
    for trait, value in ends:
        first, took = getattr(widget, trait), [1.0]
        while 2 * min(took) >= 0.3 and len(took) < 4:  # again if it was slow, for other processes slow this one down
            before = time.process_time()
            setattr(widget, trait, value)
            took.append(time.process_time() - before)
            setattr(widget, trait, first)
        assert 2 * min(took) < 0.3, (trait, value)


def parts_of(widget):
    """The sliders of single numbers, with their ends."""
    inputs = widget.inputs if hasattr(widget, "expression") else ()
    parts = [*flat(getattr(widget, "sheet", ())), *(each | {"kind": "slider"} for each in inputs if not each["shape"])]
    return [part for part in parts if part["kind"] == "slider"]

"""The learner's code: which statement is meant by a place, a name or a tensor, and how an answer writes where it is."""

import linecache
from functools import cached_property
from inspect import unwrap

from ..microscope.labels import clean
from ..microscope.names import is_ours
from ..microscope.readings import grad_of, is_tensor
from .statements import NOTHING, binding, calls_of, first, here, only, statements

LONGEST = 80  # characters of a line that an answer quotes


class Code:
    """The code around a *failure*, or around the question, that a file has or a recording, *trace*, has kept."""

    def __init__(self, failure, sight, trace, home):
        self.failure, self.sight, self.home = failure, sight, home  # home: the file of who asks
        self.lines, self.files = trace.lines, trace.files
        self.places = {}  # what was looked up

    # -- statements --------------------------------------------------------------------------------------------------

    def in_file(self, file):
        """The statements of a file, named as a trace or as Python names it."""
        numbered = {number: text for (each, number), text in self.lines.items() if each == file}
        lines = linecache.getlines(self.files.get(file, "") if numbered else file)
        if numbered and not lines:
            lines = [numbered.get(number, "") + "\n" for number in range(1, max(numbered) + 1)]
        return statements(file, "".join(lines))

    @cached_property
    def cells(self):
        """``{file: its number}`` of the cells of a notebook."""
        shell = getattr(self.sight.values.get("get_ipython"), "__self__", None)
        return getattr(getattr(shell, "compile", None), "_filename_map", {})

    @cached_property
    def program(self):
        """The statements at hand: of the file of the line in question, after those of the cells that ran before it;
        of a line typed alone those of the file that has the functions in sight."""
        numbers, file = self.cells, self.failure.place[0]
        files = sorted((each for each in numbers if numbers[each] < numbers.get(file, 0)), key=numbers.get)
        found = [statement for each in (*files, file) for statement in self.in_file(each)]
        codes = [getattr(getattr(value, "__init__", value), "__code__", None) for _, value in self.sight.things]
        files = [file for file, _ in self.lines]
        files = files or [code.co_filename for code in codes if code and not is_ours(code.co_filename)]
        return found or (self.in_file(max(files, key=files.count)) if files else found)

    def statements_at(self, place):
        return [each for each in self.in_file(place[0]) if each.line <= (place[1] or 0) <= each.end]

    def statement(self, place):
        if place not in self.places:
            self.places[place] = first(self.statements_at(place) if place else ()) or NOTHING
        return self.places[place]

    def calls_at(self, place):
        """The calls of the statements at a line."""
        return [call for call, _ in calls_of(self.statements_at(place))]

    @property
    def failed_line(self):
        return self.statement(self.failure.at)

    @property
    def line_asked(self):
        return self.statement(self.failure.place)

    @property
    def standpoint(self):
        """The statement in question, or one after all others where there is none."""
        code = self.program
        return self.line_asked or (code[-1]._replace(line=code[-1].end + 1, scope=()) if code else NOTHING)

    @property
    def lacking(self):
        """The tensor whose .grad, None, the line that failed reads, or None."""
        failure = self.failure
        place = failure.place if failure.stack else failure.at
        found = self.statements_at(place) if "NoneType" in failure.message else ()
        names = [name for each in found for name in each.reads if name.endswith(".grad")]
        tensors = [self.sight.values.get(name.removesuffix(".grad")) for name in names]
        return first(each for each in tensors if is_tensor(each) and grad_of(each) is None)

    @property
    def lacks(self):
        """Whether the line that failed is of no backward pass but reads a .grad that is None."""
        return self.lacking is not None and not self.failure.hook

    def at(self, place):
        """``"line 3, y = x * 2"``, with the file unless it is the one at hand; of an event or a statement, too."""
        place = here(place) if hasattr(place, "line") else place
        (file, line), statement = place, self.statement(place)
        path = self.files.get(file, file)
        name = f"In [{self.cells[path]}]" if path in self.cells else clean(path.rpartition("/")[2])
        text = clean((statement.text or self.lines.get(place, "")).strip(), LONGEST)
        alone = path == self.home or len({each for each, _ in self.lines}) == 1
        return f"{'' if alone else name + ', '}line {statement.line or line}{text and ', '}{text}"

    # -- where something was made ------------------------------------------------------------------------------------

    def bound_at(self, name, scope=""):
        """Where a name is bound, if the code in sight binds it once; *scope*: in a function or class of this name."""
        files = dict.fromkeys([self.failure.place[0], *(file for file, _ in self.lines)])
        ends = name, f"self.{name.partition('.')[2]}"
        found = [each for file in files for each in self.in_file(file) if not {*ends}.isdisjoint(each.binds)]
        found = [each for each in found if not scope or scope in each.scope]
        return found[0] if len({each.text for each in found}) == 1 else None

    def made_at(self, name, user):
        """The statement that made what has a name now, an attribute of an object among them, before another one."""
        code, root = self.in_file(user.file), name.partition("[")[0]
        of_many = root != name and isinstance(self.sight.values.get(root), tuple | list)
        fed = of_many and first(each for each in code if root in each.feeds)
        made = fed or binding(code, root if of_many else name, user)
        if not made and "." in root:
            found = [each for each in code if f"self.{root.rpartition('.')[2]}" in each.binds]
            made = only([each for each in found if each.scope[-1:] != ("__init__",)] or found)
        return made or NOTHING

    def named_at(self, tensor):
        """The statement that gave a result in sight its name, as far as the code tells, or None."""
        name = self.sight.called(tensor)
        return name and (self.made_at(name, self.standpoint) or self.bound_at(name))

    def line_of(self, tensor):
        """The statement that made a result in sight, as far as the code tells, or None."""
        return self.inside(self.named_at(tensor))

    def inside(self, made):
        """A statement itself or, where it calls a function of the learner's that returns in one place, what is made
        there."""
        for _ in range(3):
            call = getattr(made, "is_call", False) and made.calls[0]
            end = only(self.returns_of(call, made)[2]) if call else None
            if end is None or len(end.returns) != 1:
                break
            made = binding(self.in_file(end.file), end.returns[0], end) or end
        return made

    # -- functions of the learner's ----------------------------------------------------------------------------------

    def returns_of(self, call, statement, owner=None):
        """``(what self is there, parameters, statements)``: where the learner's function that is called returns."""
        value = self.sight.resolve(call.whole, owner)
        value = getattr(value, "forward", value)
        own = getattr(value, "__self__", None)
        parameters, body = self.body_of(value, own is not None)
        if self.lines and value is None and call.on in ("", "self"):  # of the recording, whose variables are gone
            body = [each for each in self.in_file(statement.file) if each.scope[-1:] == (call.name,)]
        return own, parameters, [each for each in body if each.text.startswith("return")]

    def body_of(self, function, own=0):
        """``(parameters, statements)`` of a learner's function, without its *own* first parameters."""
        code = getattr(unwrap(getattr(function, "__func__", function)), "__code__", None)
        if code is None or is_ours(code.co_filename) or "site-packages" in code.co_filename:
            return (), []
        scope = tuple(code.co_qualname.replace("<locals>.", "").split("."))
        body = [each for each in self.in_file(code.co_filename) if each.scope[-len(scope) :] == scope]
        return code.co_varnames[own : code.co_argcount + code.co_kwonlyargcount], body

    def backward_of(self, name):
        """Where the backward of a Function returns, or ends without that, if its class is in sight."""
        _, found = self.body_of(getattr(self.sight.values.get(name), "backward", None))
        return only([each for each in found if each.text.startswith("return")] or found[-1:])

    # -- flags -------------------------------------------------------------------------------------------------------

    @cached_property
    def flags(self):
        """``[(what is frozen or set free, the statement)]``, as far as names tell."""
        flags = [(call.on, each) for call, each in calls_of(self.program, "requires_grad_")]
        return flags + [(name.rpartition(".")[0], each) for each in self.program for name in each.binds
                        if name.endswith(".requires_grad")]  # fmt: skip

    @property
    def freezing(self):
        """Where the code freezes what it does not set free again in the same file or cell."""
        freed = {(name, each.file) for name, each in self.flags if "False" not in each.text}
        return [each for name, each in self.flags if (name, each.file) not in freed]

    @property
    def frozen_at(self):
        """Where parameters were frozen, if the code in sight does that in one place."""
        return only(self.freezing)

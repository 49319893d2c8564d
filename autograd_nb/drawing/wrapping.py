"""A long layout broken into rows, as text is: where few edges pass between two columns it goes on below.

An edge that passes there turns at the end of its row, comes back between the rows and turns again into the next one.
The topmost edge takes the lowest way back, so that edges that run side by side do not cross where they turn.
"""

from itertools import pairwise

MOST, DOUBLE = 4.5, 2.5  # ways that pass where a row ends; for how many an arrow with a gradient beside it counts
TURN = 16  # room for a turn
LARGE = 150  # edges beyond which a graph stays in one row, which is found sooner
LANE, SIDE = 20, 16  # between edges on their way back, and where they turn, from middle to middle
ROW, EDGE = 20_000, 2_000  # what a further row costs, and an edge at a row's end; unevenness costs its square


def in_rows(plan, weights, longest, tallest=None):
    """The layout in rows of at most *longest* pixels; as it was where that cannot be, or would exceed *tallest*.

    *weights*: for how many ways each of its routes counts.
    """
    if plan.width <= longest or len(plan.routes) > LARGE:
        return plan
    for lanes in range(1, int(MOST) + 1):  # at one row's end; turns take room
        cuts = best_cuts(plan, weights, longest - 2 * (TURN + SIDE * lanes), lanes)
        if cuts:
            break
    else:
        return plan
    wrapped = Wrapped(plan, cuts).plan()
    return plan if tallest is not None and wrapped.height > tallest else wrapped


def best_cuts(plan, weights, longest, lanes):
    """Where rows end, as x between columns: few rows, few edges that pass, rows about equally long."""
    taken = sorted((box.x, box.x + box.width) for box in [*plan.boxes.values(), *filter(None, plan.labels)])
    gaps, end = [], taken[0][1]
    for start, stop in taken:
        if start > end:
            gaps.append((end, start))
        end = max(end, stop)
    candidates = {0: (0, [])}  # end of a row -> cost so far, ends before it
    ideal = plan.width / -(-plan.width // longest)
    for left, right in [*gaps, (plan.width, plan.width)]:
        middle = (left + right) / 2
        passing = {place[0]: weights[index] for index, place in passing_at(plan, middle).items()}  # some share a way
        count = sum(passing.values())
        if count > MOST or len(passing) > lanes:
            continue
        known = [(cost + ROW + EDGE * count + (middle - start - ideal) ** 2, [*before, middle])
                 for start, (cost, before) in candidates.items() if middle - start <= longest]  # fmt: skip
        if known:
            candidates[middle] = min(known)
    return candidates.get(plan.width, (0, []))[1][:-1]


def passing_at(plan, x):
    """``{index of a route: (y there, x before and after)}`` of the routes that pass between two columns."""
    found = {}
    for index, route in enumerate(plan.routes):
        for (before, y), (after, _) in list(pairwise(route))[1::2]:
            if min(before, after) < x < max(before, after):
                found[index] = y, before, after
    return found


class Wrapped:
    """Rows of a layout, each moved to its place below the row before it."""

    def __init__(self, old, cuts):
        self.old, self.ends = old, [0, *cuts, old.width]
        self.rows = len(cuts) + 1
        self.passing = [sorted({place[0] for place in passing_at(old, cut).values()}) for cut in cuts]  # at rows' ends

    def row_of(self, x):
        return next(row for row in range(self.rows) if x <= self.ends[row + 1])

    def plan(self):
        old = self.old
        low, high = [float("inf")] * self.rows, [float("-inf")] * self.rows
        boxes = [*old.boxes.values(), *filter(None, old.labels)]
        points = [(x, y, 0) for route in old.routes for x, y in route]
        for x, y, height in [*((box.x, box.y, box.height) for box in boxes), *points]:
            row = self.row_of(x)
            low[row], high[row] = min(low[row], y), max(high[row], y + height)
        most = max(map(len, self.passing))
        self.left = TURN + SIDE * most
        self.top, y = [], 0
        for row in range(self.rows):
            self.top.append(round(y - low[row]))
            lanes = len(self.passing[row]) if row < self.rows - 1 else 0
            y += high[row] - low[row] + LANE * lanes + 24
        self.bottom = [round(high[row] + self.top[row]) for row in range(self.rows)]
        reach = max(b - a for a, b in pairwise(self.ends))
        self.right = round(self.left + reach)
        return old._replace(
            boxes={key: self.moved(box) for key, box in old.boxes.items()},
            labels=[box and self.moved(box) for box in old.labels],
            routes=list(map(self.route, old.routes)),
            width=self.right + self.left, height=self.bottom[-1],
        )  # fmt: skip

    def moved(self, box):
        x, y = self.at(box.x, box.y)
        return box._replace(x=x, y=y)

    def at(self, x, y):
        row = self.row_of(x)
        return round(x - self.ends[row]) + self.left, y + self.top[row]

    def route(self, route):
        backwards = route[0][0] > route[-1][0]
        route = route[::-1] if backwards else route
        points = [self.at(*route[0])]
        for place in range(1, len(route) - 1, 2):
            start, end = self.at(*route[place]), self.at(*route[place + 1])
            row = self.row_of(route[place][0])
            if row == self.row_of(route[place + 1][0]):
                points += [start, end]
                continue
            rank, count = self.passing[row].index(route[place][1]), len(self.passing[row])
            way = self.bottom[row] + 12 + LANE * (count - rank) - LANE // 2
            out, into = self.right + SIDE * (count - 1 - rank), self.left - TURN // 2 - SIDE * rank
            points += [(out, start[1]), (out, way), (into, way), (into, end[1])]
        points.append(self.at(*route[-1]))
        return points[::-1] if backwards else points

"""Reference forecasts of the end of a test: the same random paths, followed step by step."""

import math

from scipy import stats

SEED = 20261115
PATHS, NUMBERS = 400, 128
HORIZON, RANGE_DAYS, LAST_DAY = 56, 182, 3650


def normals(seed):
    """Mulberry32, then the Box-Muller transform with its cosine."""
    mask, state = 0xFFFFFFFF, seed

    def uniform():
        nonlocal state
        state = (state + 0x6D2B79F5) & mask
        t = ((state ^ (state >> 15)) * (1 | state)) & mask
        t = ((t + ((t ^ (t >> 7)) * (61 | t) & mask)) & mask) ^ t
        return (t ^ (t >> 14)) / 2**32

    while True:
        radius = math.sqrt(-2 * math.log(1 - uniform()))
        yield radius * math.cos(2 * math.pi * uniform())


_source = normals(SEED)
RANDOM = [[next(_source) for _ in range(NUMBERS)] for _ in range(PATHS)]


def sequence(n, alpha, n_star, level):
    """Half the width of the confidence sequence in standard errors (Waudby-Smith and others)."""
    log = -2 * math.log(alpha)
    information = n * (log + math.log(1 + log)) / n_star
    return math.sqrt((1 + 1 / information) * (math.log(1 + information) - 2 * math.log(level)))


def monitored(t, alpha):
    """99 % of alpha for a Brownian motion that crosses a constant, 1 % for five normal mixtures."""
    t = min(1, t)
    constant = stats.norm.isf(0.99 * alpha / 4) / math.sqrt(t)
    early = [(1 + v) / v * (math.log(1 + v) - 2 * math.log(0.01 * alpha / 5)) for v in (21 * t / 10**k * 2e5 for k in range(5))]
    return min(constant, math.sqrt(min(early)))


def futility(t, alpha, drift):
    """The estimate at which the conditional power of a single look at the end is 10 %."""
    if t >= 1:
        return 0
    return max(0, (stats.norm.isf(alpha / 2) - drift * (1 - t) - stats.norm.isf(0.1) * math.sqrt(1 - t)) / math.sqrt(t))


def rounded(x):
    return math.floor(x + 0.5)


def forecast(method, difference, standard_error, visitors, daily, uncertainty, control_mean, planned=None, smallest=None, alpha=0.05, n_star=5000, fraction=None):
    days_to_plan = 0 if planned is None else (planned - visitors) / daily
    last = min(LAST_DAY, max(RANGE_DAYS, math.ceil(2 * days_to_plan)))
    days, day = [], 1
    while day <= last:
        days.append(day)
        day = max(day + 1, rounded(1.06 * day))

    def critical(n):
        if method == "sequential":
            return sequence(n, alpha, n_star, alpha)
        if method == "group-sequential" and planned is not None:
            return monitored(n / planned, alpha)
        return stats.norm.isf(alpha / 2) if planned is None or n >= planned else math.inf

    def hopeless(n):
        if method != "group-sequential" or planned is None:
            return 0
        drift = stats.norm.isf(alpha / 2) + stats.norm.isf(0.2) if smallest is None else smallest / (standard_error * math.sqrt(fraction))
        return futility(n / planned, alpha, drift)

    # A test with a fixed end is decided when a path reaches it, however large the estimate is until then.
    is_fixed = planned is not None and method == "frequentist"
    limits = [(math.inf if is_fixed else critical(visitors + daily * d), hopeless(visitors + daily * d)) for d in days]
    ends = []
    for random in RANDOM:
        own = daily * math.exp(uncertainty * random[0])
        estimate, variance, end = difference, standard_error**2, math.inf
        for d, (above, below), number in zip(days, limits, random[1:]):
            total = visitors + own * d
            after = standard_error**2 * visitors / total
            estimate += math.sqrt(variance - after) * number
            variance = after
            size, error = abs(estimate), math.sqrt(after)
            reached = planned is not None and total >= planned
            if reached or size > above * error or size < below * error or (smallest is not None and size + above * error < smallest):
                end = d
                break
        ends.append(end)
    ends.sort()
    in_sight = planned is not None or ends[math.floor(0.16 * PATHS)] <= HORIZON
    size = math.ceil((0.86 if planned is None else 0.92) * PATHS)
    ranges = [(ends[i], ends[i + size - 1]) for i in range(PATHS - size + 1) if ends[i + size - 1] < math.inf]
    low, high = min(ranges, key=lambda it: it[1] - it[0]) if ranges else (ends[math.floor(0.08 * PATHS)], math.inf)
    if not in_sight:
        low, high = HORIZON + 1, math.inf
    median = ends[PATHS // 2]
    total = visitors + HORIZON * daily
    total = total if planned is None else min(total, planned)
    detectable = None
    if control_mean != 0 and critical(total) < math.inf:
        detectable = (critical(total) + stats.norm.isf(0.2)) * standard_error * math.sqrt(visitors / total) / abs(control_mean)
    return {
        "low": min(low, days[-1]),
        "high": high if high <= days[-1] else None,
        "median": median if in_sight and median <= days[-1] else None,
        "inSight": in_sight,
        "detectable": detectable,
        "horizonDays": HORIZON,
    }


def forecast_cases():
    base = {"difference": 0.01, "standard_error": 0.005, "visitors": 10_000, "daily": 1000, "uncertainty": 0.1, "control_mean": 0.25}
    given = [
        ("sequential", {}),
        ("sequential", {"alpha": 0.01, "n_star": 500, "uncertainty": 0.3}),
        ("sequential", {"difference": -0.012, "control_mean": -0.25}),
        ("sequential", {"smallest": 0.02}),
        ("sequential", {"difference": 0.0, "smallest": 0.015, "daily": 300}),
        ("sequential", {"difference": 0.0, "daily": 20}),
        ("sequential", {"difference": 0.001, "daily": 150}),
        ("sequential", {"difference": 0.2}),
        ("bayesian", {"control_mean": 0}),
        ("bayesian", {"difference": 0.001, "daily": 100}),
        ("frequentist", {}),
        ("frequentist", {"planned": 40_000}),
        ("frequentist", {"planned": 40_000, "uncertainty": 0}),
        ("frequentist", {"planned": 200_000, "uncertainty": 0}),
        ("frequentist", {"planned": 40_000, "smallest": 0.02}),
        ("frequentist", {"planned": 9_000_000}),
        ("frequentist", {"planned": 90_000_000}),
        ("group-sequential", {"planned": 40_000}),
        ("group-sequential", {"planned": 40_000, "difference": 0.002}),
        ("group-sequential", {"planned": 40_000, "difference": 0.002, "smallest": 0.015}),
        ("group-sequential", {"planned": 100_000, "alpha": 0.01}),
        ("group-sequential", {"planned": 500_000, "difference": 0.0, "smallest": 0.004}),
        ("group-sequential", {"planned": 10_000_000, "difference": 0.002, "daily": 4000}),
        ("group-sequential", {}),
    ]
    cases = []
    for method, change in given:
        args = {**base, **change}
        planned = args.get("planned")
        fraction = None if planned is None else min(1, args["visitors"] / planned)
        expected = forecast(method, fraction=fraction, **args)
        names = {"standard_error": "standardError", "control_mean": "controlMean", "n_star": "sequentialN", "planned": "plannedVisitors", "smallest": "smallestDifference"}
        input_ = {"method": method, "plannedVisitors": None, "smallestDifference": None, **{names.get(k, k): v for k, v in args.items()}}
        input_["traffic"] = {"dailyVisitors": input_.pop("daily"), "uncertainty": input_.pop("uncertainty")}
        cases.append({"input": input_, "expected": expected})
    return cases

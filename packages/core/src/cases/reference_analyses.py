"""Cases of analyses: comparisons of variations, from individual visitors."""

import math
import warnings

import mpmath as mp
import numpy as np
from scipy import stats

from reference_distributions import agree
from reference_effects import (
    NOTHING,
    compare,
    covariance,
    effect_of_counts,
    effect_of_means,
    effect_of_ratios,
    excludes_zero,
    mean_of,
)

SEED = 20261115
METHODS = ["sequential", "frequentist", "bayesian", "group-sequential"]


def sums_of(y, x=None):
    sums = {"n": len(y), "sum": math.fsum(y), "sumSquares": math.fsum(v * v for v in y)}
    if x is not None:
        sums["covariateSum"] = math.fsum(x)
        sums["covariateSumSquares"] = math.fsum(v * v for v in x)
        sums["covariateProduct"] = math.fsum(a * b for a, b in zip(y, x))
    return sums


def settings_of(method, metric, total, alpha=0.05, n_star=5000, prior=None, plan=None, non_negative=False):
    """The input without the variations. By default, group-sequential tests are half done and at their second look."""
    given = {"method": method, "metric": metric, "alpha": alpha, "control": "v0"}
    if method == "group-sequential":
        default = {"plannedVisitors": 2 * total, "earlierLooks": [total // 2], "spending": "obrien-fleming"}
        given.update(plan or default)
    if metric != "ratio":
        given["sequentialN"] = n_star
    if prior:
        given["prior"] = {"proper": True, **prior}
    if non_negative:
        given["nonNegative"] = True
    return given


def fractions_of(given, total):
    planned = given["plannedVisitors"]
    return [each / planned for each in given.get("earlierLooks", [])] + [min(1.0, total / planned)]


def expected_of(given, keys, effects):
    """`keys` has key, n and mean of each variation, `effects` the comparisons of all but the first."""
    settings = dict(given)
    if given["method"] == "group-sequential":
        settings["fractions"] = fractions_of(given, sum(each["n"] for each in keys))
    results = [NOTHING, *(compare(settings, effect) for effect in effects)]
    return [{**each, **result} for each, result in zip(keys, results)]


def analysis_case(name, method, metric, arms, covariates=None, **options):
    """`arms` are lists of visitors' values, the first is the control."""
    values = [[float(v) for v in arm] for arm in arms]
    given = settings_of(method, metric, sum(map(len, values)), **options)
    adjusted, xs = values, [None] * len(values)
    if covariates is not None:
        xs = [[float(v) for v in x] for x in covariates]
        all_y, all_x = sum(values, []), sum(xs, [])
        theta = covariance(all_y, all_x, 1) / covariance(all_x, all_x, 1)
        adjusted = [[mp.mpf(v) - theta * mp.mpf(w) for v, w in zip(y, x)] for y, x in zip(values, xs)]
    given["variations"] = [{"key": f"v{i}", **sums_of(y, x)} for i, (y, x) in enumerate(zip(values, xs))]
    keys = [{"key": f"v{i}", "n": len(y), "mean": float(mean_of(y))} for i, y in enumerate(values)]
    ddof, cut = (0, True) if metric == "proportion" else (1, options.get("non_negative", False))
    effects = [effect_of_means(adjusted[0], each, values[0], ddof, cut) for each in adjusted[1:]]
    expected = expected_of(given, keys, effects)
    if method == "frequentist" and metric == "mean":
        check_by_scipy(adjusted, expected)
    return {"name": f"{method}, {metric}: {name}", "input": given, "expected": expected}


def check_by_scipy(adjusted, expected):
    for arm, result in zip(adjusted[1:], expected[1:]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = stats.ttest_ind([float(v) for v in arm], [float(v) for v in adjusted[0]], equal_var=False)[1]
        agree(result["pValue"], theirs, "ttest_ind")


def rate_case(name, method, counts, **options):
    """`counts` are pairs (visitors, converted), the first is the control."""
    given = settings_of(method, "proportion", sum(n for n, _ in counts), **options)
    given["variations"] = [{"key": f"v{i}", "n": n, "sum": k, "sumSquares": k} for i, (n, k) in enumerate(counts)]
    keys = [{"key": f"v{i}", "n": n, "mean": float(mp.mpf(k) / n)} for i, (n, k) in enumerate(counts)]
    effects = [effect_of_counts(counts[0], each) for each in counts[1:]]
    return {"name": f"{method}, proportion: {name}", "input": given, "expected": expected_of(given, keys, effects)}


def ratio_of(y, d):
    """The ratio of the sums, and its variance with numerical derivatives."""
    at = (mean_of(y), mean_of(d))
    gradient = [mp.diff(lambda a, b: a / b, at, order) for order in [(1, 0), (0, 1)]]
    both = [y, d]
    variance = sum(gradient[j] * gradient[k] * covariance(both[j], both[k], 1) for j in range(2) for k in range(2))
    return at[0] / at[1], variance / len(y), len(y)


def ratio_case(name, method, arms, **options):
    """`arms` are pairs of lists (value, denominator) per visitor."""
    arms = [tuple([float(v) for v in each] for each in arm) for arm in arms]
    given = settings_of(method, "ratio", sum(len(y) for y, _ in arms), **options)
    given["variations"] = []
    for i, (y, d) in enumerate(arms):
        of_both = {"denominatorSum": math.fsum(d), "denominatorSumSquares": math.fsum(v * v for v in d)}
        product = math.fsum(a * b for a, b in zip(y, d))
        given["variations"].append({"key": f"v{i}", **sums_of(y), **of_both, "product": product})
    ratios = [ratio_of(*arm) for arm in arms]
    keys = [{"key": f"v{i}", "n": n, "mean": float(ratio)} for i, (ratio, _, n) in enumerate(ratios)]
    effects = [effect_of_ratios(ratios[0], each) for each in ratios[1:]]
    return {"name": f"{method}, ratio: {name}", "input": given, "expected": expected_of(given, keys, effects)}


# Visitors


def visitors(rng, n, rate, mean, refunds=0.0):
    """Revenue per visitor in cents: most buy nothing, a few buy, and some refunds exceed the purchase."""
    buys = rng.random(n) < rate
    value = np.where(buys, np.round(rng.exponential(mean, n), 2), 0.0)
    back = rng.random(n) < refunds
    return np.where(back, np.round(value - rng.exponential(mean, n), 2), value)


def converted(n, k):
    return [1.0] * k + [0.0] * (n - k)


def spread_around(rng, n, mean, sd):
    """Values with this mean and spread up to rounding."""
    z = rng.normal(0, 1, n)
    return np.round(mean + sd * (z - z.mean()) / z.std(), 3)


def before_and_after(rng, arms, noise, share=1.0):
    """Covariates and values of (n, mean) per arm, where the covariate explains all but the noise."""
    xs = [spread_around(rng, n, 0, 1) for n, _ in arms]
    ys = [np.round(share * x + spread_around(rng, n, mean, noise), 3) for x, (n, mean) in zip(xs, arms)]
    return xs, ys


# Cases


def usual_cases(method, rng):
    cases = []

    def mean(name, arms, **options):
        cases.append(analysis_case(name, method, "mean", arms, **options))

    def rate(name, counts, **options):
        cases.append(rate_case(name, method, counts, **options))

    mean("revenue", [visitors(rng, 1200, 0.1, 40), visitors(rng, 1100, 0.12, 42)])
    mean("three variations", [visitors(rng, 400, 0.3, 10), visitors(rng, 500, 0.3, 12), visitors(rng, 300, 0.4, 10)])
    mean("counts per visitor", [rng.poisson(1.3, 900), rng.poisson(1.5, 950)])
    mean("sums below zero after refunds", [visitors(rng, 300, 0.2, 20, 0.3), visitors(rng, 320, 0.2, 20, 0.2)])
    mean("the variation's sum below zero", [visitors(rng, 400, 0.3, 20), visitors(rng, 400, 0.2, 5, 0.2)])
    mean("two visitors each", [[1.0, 2.5], [4.0, 3.25]])
    mean("three against two", [[0.0, 0.0, 1.0], [1.0, 3.0]])
    mean("far out in the tail", [rng.normal(10, 2, 500), rng.normal(11.1, 2.2, 480)])
    # Beyond the smallest numbers, there is no group-sequential p-value.
    farther = 10.4 if method == "group-sequential" else 12
    mean("farther out", [rng.normal(10, 1, 700), rng.normal(farther, 1, 700)])
    mean("hardly any spread on a large mean", [rng.normal(1e6, 1, 200), rng.normal(1e6, 1.1, 210)])
    mean("alpha of 1 %, N* of 500", [visitors(rng, 300, 0.5, 8), visitors(rng, 350, 0.5, 9)], alpha=0.01, n_star=500)
    mean("a control whose mean is zero", [[-1.0, 1.0, 2.0, -2.0], [0.5, 1.5, 2.0, 1.0]])
    for name, noise in [("strong", 1.0), ("weak", 15.0)]:
        xs = [np.round(rng.gamma(2, 5, n), 2) for n in (500, 450)]
        ys = [np.round(0.8 * x + rng.normal(0.3 * i, noise, len(x)), 2) for i, x in enumerate(xs)]
        mean(f"{name} covariate", ys, covariates=xs)
    rate("usual", [(5000, 400), (5050, 470)])
    rate("three variations", [(2000, 100), (2000, 130), (1000, 70)])
    rate("tiny counts", [(7, 2), (6, 4)])
    rate("one converted each", [(30, 1), (25, 1)])
    rate("far out in the tail", [(4000, 400), (4000, 592)])
    rate("farther out", [(3000, 300), (3000, 900)])
    rate("nearly all converted", [(500, 498), (480, 470)])
    rate("alpha of 10 %", [(900, 90), (1000, 120)], alpha=0.1)
    rate("20 converted each", [(400, 20), (380, 20)])
    rate("a handful out of millions", [(2_000_000, 7), (2_000_000, 19)])
    rate("hardly any visitors in one arm", [(9000, 900), (100, 21)])
    rate("equal rates", [(1000, 100), (1000, 100)])
    rate("none converted in the variation", [(400, 20), (300, 0)])
    rate("none converted in the control", [(20, 0), (20, 5)])
    rate("none converted", [(50, 0), (70, 0)])
    rate("all converted", [(50, 50), (70, 70)])
    rate("all converted in one arm", [(60, 60), (70, 61)])
    rate("none against all", [(10, 0), (12, 12)])
    rate("all against none", [(10, 10), (12, 0)])
    xs = [(rng.random(n) < 0.4).astype(float) for n in (600, 640)]
    ys = [(rng.random(len(x)) < 0.1 + 0.5 * x + 0.03 * i).astype(float) for i, x in enumerate(xs)]
    cases.append(analysis_case("covariate", method, "proportion", ys, covariates=xs))
    return cases


def ratio_cases(method, rng):
    arms = []
    for n, p, m in [(900, 0.2, 30), (950, 0.22, 33), (60, 0.4, 33)]:
        y = visitors(rng, n, p, m, 0.01)
        arms.append((y, (y != 0).astype(float)))
    sessions = [(rng.gamma(2, 3, n) * s, s) for n in (300, 280) for s in [rng.poisson(3, n).astype(float)]]
    return [
        ratio_case("revenue per converted visitor", method, arms),
        ratio_case("value per session", method, sessions),
    ]


def shape(case):
    """Which ends of the relative interval are open, and whether zero is excluded."""
    relative = case["expected"][1]["relative"]
    ends = {(False, False): "bounded", (False, True): "open above", (True, False): "open below", (True, True): "unknown"}
    found = ends[relative["low"] is None, relative["high"] is None]
    return f"{found}, significant" if excludes_zero(case["expected"][1]["absolute"]) else found


# Roughly the critical values of the cases below.
WIDTH = {"sequential": 4, "group-sequential": 3, "frequentist": 2, "bayesian": 2}


def open_cases(method, rng):
    """The control's mean hardly differs from zero. Every case must have the shape that it is named after."""
    cases, unit = [], WIDTH[method] / math.sqrt(200)

    def add(wanted, case):
        assert shape(case) == wanted, (case["name"], shape(case), case["expected"][1])
        cases.append(case)

    def mean(name, wanted, control, variation, sd=1.0, **options):
        """Means in units of the half width of the control's interval."""
        arms = [spread_around(rng, 200, control * unit, 1), spread_around(rng, 220, variation * unit, sd)]
        add(wanted, analysis_case(name, method, "mean", arms, **options))

    mean("control barely above zero, clear difference", "open above, significant", 0.7, 4)
    mean("control barely below zero, clear difference", "open below, significant", -0.7, 4)
    mean("control barely above zero, clear loss", "open below, significant", 0.7, -3)
    mean("control barely above zero, no clear difference", "unknown", 0.35, 0.5)
    mean("control barely above zero, difference just not significant", "open above", 0.85, 1.95)
    mean("control barely above zero, noisy variation", "open below", 0.8, -4.3, sd=6)
    mean("zero and the estimate on different sides of infinity", "unknown", 0.5, -0.1, sd=0.02)
    mean("control just significant", "bounded", 1.4, 1.6)
    mean("control just significant, clear difference", "bounded, significant", 1.4, 5)
    mean("control just significantly negative, clear difference", "bounded, significant", -1.4, 3)
    mean("clearly negative control", "bounded, significant", -15, -10)
    mean("clearly negative control, no clear difference", "bounded", -15, -14.7)
    large = [[0.0] * 58 + [0.2, 9.0], [0.0] * 55 + [0.1, 0.3, 7.5, 0.4, 1.4]]
    add("open above", analysis_case("never negative, one large value", method, "mean", large, non_negative=True))
    for name, wanted, control, variation, options in [
        ("covariate, control barely above zero, clear difference", "open above, significant", 0.7, 1.4, {}),
        ("covariate, control barely above zero, clear loss", "open below, significant", 0.7, 0.2, {}),
        ("covariate, never negative, clear loss", "bounded, significant", 0.7, 0.2, {"non_negative": True}),
        ("covariate, control barely above zero, no clear difference", "unknown", 0.4, 0.42, {}),
    ]:
        xs, ys = before_and_after(rng, [(200, control * unit), (220, variation * unit)], 0.2)
        add(wanted, analysis_case(name, method, "mean", ys, covariates=xs, **options))
    for name, wanted, control, variation in [
        ("control barely above zero, clear difference", "open above, significant", 0.7, 4),
        ("control barely above zero, no clear difference", "unknown", 0.3, 0.4),
        ("negative control", "bounded, significant", -12, -8),
    ]:
        arms = [
            (spread_around(rng, n, 3 * m * unit, 3), 1.0 + rng.poisson(2, n))
            for n, m in [(200, control), (220, variation)]
        ]
        add(wanted, ratio_case(name, method, arms))
    return cases


def delta_includes_zero(effect, k):
    u = effect.difference / effect.base
    return effect.difference**2 <= k**2 * (effect.variance - 2 * u * effect.covariance + u**2 * effect.base_variance)


def complaint_cases(method):
    """Few complaints in the control and many in the variation: the test rejects, while the interval of the delta method
    for the relative uplift includes zero."""
    wide = method in ("sequential", "group-sequential")
    counts = [(1000, 10), (1000, 45 if wide else 25)]
    values = [[3 * v for v in converted(*each)] for each in counts]
    sessions = [[float(1 + i % 3) for i in range(n)] for n, _ in counts]
    cases = [
        rate_case("complaints", method, counts),
        analysis_case("minutes of complaints", method, "mean", values, non_negative=True),
        ratio_case("complaints per session", method, list(zip(values, sessions))),
    ]
    effects = [effect_of_counts(*counts), effect_of_means(values[0], values[1], values[0], 1, True)]
    effects.append(effect_of_ratios(*(ratio_of(*each) for each in zip(values, sessions))))
    for case, effect in zip(cases, effects):
        assert delta_includes_zero(effect, 2.9 if wide else 1.95), case["name"]
        assert excludes_zero(case["expected"][1]["absolute"]), case
    return cases


def prior_cases(rng, new_rng):
    cases = []
    for prior in [{"mean": 0, "sd": 0.3}, {"mean": 0.1, "sd": 0.05}]:
        arms = [visitors(rng, 800, 0.2, 30), visitors(rng, 820, 0.22, 31)]
        cases.append(analysis_case(f"prior {prior}", "bayesian", "mean", arms, prior=prior))
        cases.append(rate_case(f"prior {prior}", "bayesian", [(3000, 150), (3000, 180)], prior=prior))
    prior = {"mean": 0.05, "sd": 0.2}
    arms = [spread_around(new_rng, n, m, 1) for n, m in [(200, -0.6), (220, -0.2)]]
    cases.append(analysis_case("prior and a negative control", "bayesian", "mean", arms, prior=prior))
    arms = [spread_around(new_rng, n, m, 1) for n, m in [(200, 0.08), (220, 0.8)]]
    wide = {"mean": 0, "sd": 10}
    cases.append(analysis_case("prior and a control barely above zero", "bayesian", "mean", arms, prior=wide))
    xs, ys = before_and_after(new_rng, [(200, 1.2), (220, 1.4)], 0.5)
    cases.append(analysis_case("prior and covariate", "bayesian", "mean", ys, covariates=xs, prior=prior))
    cases.append(analysis_case("prior and no spread in one arm", "bayesian", "mean", [[1, 2, 4, 3.5], [5, 5, 5]], prior=prior))
    cases.append(rate_case("prior and none converted in the variation", "bayesian", [(400, 20), (300, 0)], prior=prior))
    arms = [(spread_around(new_rng, n, m, 3), 1.0 + new_rng.poisson(2, n)) for n, m in [(200, 4), (220, 4.6)]]
    cases.append(ratio_case("prior", "bayesian", arms, prior=prior))
    return cases


def group_sequential_plans(rng):
    """The same visitors with different plans."""
    counts = [(2500, 250), (2550, 305)]
    arms = [spread_around(rng, n, m, 2) for n, m in [(300, 5), (310, 5.5)]]
    cases = []
    for name, planned, earlier, spending, alpha in [
        ("first look", 2, None, "obrien-fleming", 0.05),
        ("first look", 2, None, "pocock", 0.05),
        ("only look, at the end", 1, None, "obrien-fleming", 0.05),
        ("third look", 1.5, [0.2, 0.6], "pocock", 0.01),
        ("fifth look, at the end", 1, [0.2, 0.4, 0.6, 0.8], "obrien-fleming", 0.05),
        ("fifth look, at the end", 1, [0.2, 0.4, 0.6, 0.8], "pocock", 0.05),
        ("more visitors than planned", 0.9, [0.3, 0.5], "obrien-fleming", 0.1),
        ("very early first look", 20, None, "obrien-fleming", 0.05),
    ]:
        def plan(total):
            given = {"plannedVisitors": round(planned * total), "spending": spending}
            return given if earlier is None else {**given, "earlierLooks": [round(share * total) for share in earlier]}

        title = f"{name}, {spending}"
        cases.append(rate_case(title, "group-sequential", counts, alpha=alpha, plan=plan(5050)))
        cases.append(analysis_case(title, "group-sequential", "mean", arms, alpha=alpha, plan=plan(610)))
    return cases


def analysis_cases():
    rng, new_rng = np.random.default_rng(SEED), np.random.default_rng(SEED + 1)
    cases = []
    for method in METHODS[:3]:
        cases += usual_cases(method, rng)
    for method in ["frequentist", "sequential"]:
        cases.append(analysis_case("one arm without spread", method, "mean", [[1, 2, 4, 3.5], [5, 5, 5]]))
        cases.append(analysis_case("control without spread", method, "mean", [[5, 5, 5], [1, 2, 4, 3.5]]))
    cases += prior_cases(rng, new_rng)
    for method in ["sequential", "frequentist"]:
        cases += ratio_cases(method, rng)
    for method in ["bayesian", "group-sequential"]:
        cases += ratio_cases(method, new_rng)
    cases += usual_cases("group-sequential", new_rng)
    for method in METHODS:
        cases += open_cases(method, new_rng)
        cases += complaint_cases(method)
    cases += group_sequential_plans(new_rng)
    names = [case["name"] for case in cases]
    assert len(set(names)) == len(names), names
    return cases

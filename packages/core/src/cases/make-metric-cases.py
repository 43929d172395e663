#!/usr/bin/env python3
"""Generates stats-metrics.json in this folder: metrics of visitors, compared by definition. Needs only Python, and seconds.

python3 packages/core/src/cases/make-metric-cases.py

Every expectation comes from the visitors, one by one, and never from the formulas that it is held against: variances of
ratios by leaving out one visitor after the other (jackknife), intervals by inverting the test with bisection, rates that
are most likely under a hypothesis by search, Student's t-distribution by integration.
"""

import json
import math
import pathlib
import random
from statistics import NormalDist

HERE = pathlib.Path(__file__).parent
ALPHA = 0.05
N_STAR = 5000
NORMAL = NormalDist()


# Critical values


def bisect(f, low, high):
    """The root of an increasing function."""
    for _ in range(200):
        middle = (low + high) / 2
        if f(middle) > 0:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def sequential_critical(n, level=ALPHA):
    """Half the width of the confidence sequence, by its definition: where the mixture of likelihood ratios is 1 / level."""
    tuning = -2 * math.log(ALPHA) + math.log(1 - 2 * math.log(ALPHA))
    information = n * tuning / N_STAR
    log_mixture = lambda z: z * z * information / (2 * (1 + information)) - math.log(1 + information) / 2
    return bisect(lambda z: log_mixture(z) + math.log(level), 0, 1e4)


def sequential_p(z, n):
    if sequential_critical(n, 1) >= abs(z):
        return 1.0
    return math.exp(bisect(lambda log: abs(z) - sequential_critical(n, math.exp(log)), -700, 0))


def t_tail(t, degrees):
    """The chance of a value beyond t, by Simpson's rule on the density at tan(x)."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)
    density = lambda x: scale * (1 + math.tan(x) ** 2 / degrees) ** (-(degrees + 1) / 2) / math.cos(x) ** 2
    low, high, steps = math.atan(t), math.pi / 2 - 1e-9, 20_000
    width = (high - low) / steps
    inner = sum((4 if i % 2 else 2) * density(low + i * width) for i in range(1, steps))
    return (density(low) + inner + density(high)) * width / 3


def t_critical(degrees):
    return bisect(lambda t: ALPHA / 2 - t_tail(t, degrees), 0, 100)


# Estimates of an arm: value, variance of the value, visitors


def mean_of(xs):
    return math.fsum(xs) / len(xs)


def variance_of(xs):
    mean = mean_of(xs)
    return math.fsum((x - mean) ** 2 for x in xs) / (len(xs) - 1)


def strata_of(visitors, arms):
    """New and returning visitors with their share of all; together if a variation has fewer than 25 of either."""
    groups = [[[v for v in arm if v["returning"] == it] for arm in arms] for it in (False, True)]
    groups = [group for group in groups if any(group)]
    if min(len(arm) for group in groups for arm in group) < 25:
        return [(1.0, visitors)]
    total = sum(len(arm) for arm in arms)
    index = next(i for i, arm in enumerate(arms) if arm is visitors)
    return [(sum(len(arm) for arm in group) / total, group[index]) for group in groups]


def mean_estimate(visitors, arms):
    strata = strata_of(visitors, arms)
    value = sum(w * mean_of([v["x"] for v in own]) for w, own in strata)
    variance = sum(w * w * variance_of([v["x"] for v in own]) / len(own) for w, own in strata)
    return value, variance, len(visitors)


def share_estimate(visitors, arms):
    strata = strata_of(visitors, arms)
    rates = [(w, mean_of([1.0 if v["x"] > 0 else 0.0 for v in own]), len(own)) for w, own in strata]
    return sum(w * p for w, p, _ in rates), sum(w * w * p * (1 - p) / n for w, p, n in rates), len(visitors)


def ratio_estimate(visitors, arms):
    """The variance is that of the numerator and denominator of each visitor, in the direction of the ratio (numerically)."""
    strata = strata_of(visitors, arms)
    tops = [mean_of([v["x"] for v in own]) for _, own in strata]
    bottoms = [mean_of([v["d"] for v in own]) for _, own in strata]

    def ratio(tops, bottoms):
        return sum(w * t for (w, _), t in zip(strata, tops)) / sum(w * b for (w, _), b in zip(strata, bottoms))

    value = ratio(tops, bottoms)
    variance = 0.0
    for i, (_, own) in enumerate(strata):
        n = len(own)
        # Without one visitor: the jackknife, made linear by a tiny weight of the visitor.
        shift = 1e-6
        changes = []
        for v in own:
            t, b = list(tops), list(bottoms)
            t[i] += shift * (v["x"] - tops[i])
            b[i] += shift * (v["d"] - bottoms[i])
            up = ratio(t, b)
            t[i], b[i] = tops[i] - shift * (v["x"] - tops[i]), bottoms[i] - shift * (v["d"] - bottoms[i])
            changes.append((up - ratio(t, b)) / (2 * shift))
        variance += math.fsum(c * c for c in changes) / (n - 1) / n
    return value, variance, len(visitors)


# Comparisons


def wald(method, control, variation):
    """By the statistic of "the difference is u times the control"."""
    (m, vm, n), (x, vx, k) = control, variation
    error = math.sqrt(vm + vx)
    z = (x - m) / error
    if method == "sequential":
        critical, p = sequential_critical(n + k), sequential_p(z, n + k)
    elif method == "frequentist":
        degrees = (vm + vx) ** 2 / (vm**2 / (n - 1) + vx**2 / (k - 1))
        critical, p = t_critical(degrees), 2 * t_tail(abs(z), degrees)
    elif method == "z":
        critical, p = NORMAL.inv_cdf(1 - ALPHA / 2), 2 * NORMAL.cdf(-abs(z))
    else:
        critical, p = NORMAL.inv_cdf(1 - ALPHA / 2), None
    statistic = lambda u: (x - m - u * m) / math.sqrt(vx + (1 + u) ** 2 * vm)
    estimate = (x - m) / m
    # The control is far from zero in all of these cases.
    assert m / math.sqrt(vm) > 1.5 * critical, (m, vm)
    step = 50 * abs(error / m) + 1
    low = bisect(lambda u: critical - statistic(u), max(-1, estimate - step) if x >= 0 else estimate - step, estimate)
    high = bisect(lambda u: -critical - statistic(u), estimate, estimate + 20 * step)
    result = {
        "absolute": {"estimate": x - m, "low": x - m - critical * error, "high": x - m + critical * error},
        "relative": {"estimate": estimate, "low": low, "high": high},
        "pValue": p,
    }
    if method == "bayesian":
        result["chanceToBeat"] = NORMAL.cdf(z)
    return result


def likely_rates(a, n, b, k, link):
    """The rates that are most likely if the variation's is `link` of the control's: the maximum of the likelihood."""

    def slope(p):
        h = 1e-7 * min(p, 1 - p)
        def loglik(rate):
            other = link(rate)
            if not 0 < other < 1:
                return -math.inf
            return a * math.log(rate) + (n - a) * math.log(1 - rate) + b * math.log(other) + (k - b) * math.log(1 - other)
        return loglik, h

    loglik, _ = slope(0.5)
    low, high = 1e-9, 1 - 1e-9
    # Golden section; the logarithm of the likelihood is concave.
    golden = (math.sqrt(5) - 1) / 2
    if link(low) <= 0:
        low = bisect(link, low, high) + 1e-12
    if link(high) >= 1:
        high = bisect(lambda p: link(p) - 1, low, high) - 1e-12
    for _ in range(200):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if loglik(left) > loglik(right):
            high = right
        else:
            low = left
    p = (low + high) / 2
    return p, link(p)


def score(method, control, variation):
    """The score test of two rates, inverted."""
    (a, n), (b, k) = control, variation
    p, q = a / n, b / k

    def of_difference(difference):
        likely, other = likely_rates(a, n, b, k, lambda rate: rate + difference)
        return (q - p - difference) / math.sqrt(likely * (1 - likely) / n + other * (1 - other) / k)

    def of_ratio(ratio):
        likely, other = likely_rates(a, n, b, k, lambda rate: ratio * rate)
        return (q - ratio * p) / math.sqrt(ratio**2 * likely * (1 - likely) / n + other * (1 - other) / k)

    pooled = (a + b) / (n + k)
    z = (q - p) / math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / k))
    if method == "sequential":
        critical, p_value = sequential_critical(n + k), sequential_p(z, n + k)
    else:
        critical, p_value = NORMAL.inv_cdf(1 - ALPHA / 2), 2 * NORMAL.cdf(-abs(z))
    half = 3 * critical * math.sqrt(p * (1 - p) / n + q * (1 - q) / k)
    return {
        "absolute": {
            "estimate": q - p,
            "low": bisect(lambda d: critical - of_difference(d), q - p - half, q - p),
            "high": bisect(lambda d: -critical - of_difference(d), q - p, q - p + half),
        },
        "relative": {
            "estimate": q / p - 1,
            "low": bisect(lambda r: critical - of_ratio(r), 0.2 * q / p, q / p) - 1,
            "high": bisect(lambda r: -critical - of_ratio(r), q / p, 5 * q / p) - 1,
        },
        "pValue": p_value,
    }


def compare_shares(method, arms, estimate=share_estimate):
    """The score test, or with strata their combination."""
    is_stratified = len(strata_of(arms[0], arms)) > 1
    if is_stratified or method == "bayesian":
        kind = "z" if method == "frequentist" else method
        return [wald(kind, estimate(arms[0], arms), estimate(arm, arms)) for arm in arms[1:]]
    counts = [(sum(v["x"] > 0 for v in arm), len(arm)) for arm in arms]
    return [score(method, counts[0], each) for each in counts[1:]]


# Cases


def group_of(key, visitors, pending, returning):
    own = [v for v in visitors if v["returning"] == returning]
    steps = max((len(v.get("reached", [])) for v in own), default=0)
    group = {
        "variationKey": key,
        "returning": returning,
        "bot": False,
        "visitors": len(own),
        "pending": pending if not returning else 0,
        "reached": sum(v["x"] > 0 for v in own),
        "value": {"sum": math.fsum(v["x"] for v in own), "sumSquares": math.fsum(v["x"] ** 2 for v in own)},
        "denominator": {
            "sum": math.fsum(v.get("d", 0) for v in own),
            "sumSquares": math.fsum(v.get("d", 0) ** 2 for v in own),
        },
        "product": math.fsum(v["x"] * v.get("d", 0) for v in own),
    }
    if steps > 0:
        group["steps"] = [sum(v["reached"][i] for v in own) for i in range(steps)]
    return group


def case(name, method, definition, arms, measures):
    """`measures` are lists of a name and its comparisons, one for each variation but the control."""
    keys = ["control", "b", "c"][: len(arms)]
    groups = []
    for i, (key, arm) in enumerate(zip(keys, arms)):
        for returning in (False, True):
            if any(v["returning"] == returning for v in arm):
                groups.append(group_of(key, arm, 10 * i + 3, returning))
    return {
        "name": f"{name}, {method}",
        "method": method,
        "definition": definition,
        "groups": groups,
        "quantiles": [],
        "expected": [{"metric": metric, **more, "variations": results} for metric, more, results in measures],
    }


def people(rng, n, draw, returning=0.0):
    arm = []
    for _ in range(n):
        is_returning = rng.random() < returning
        arm.append({"returning": is_returning, **draw(rng, is_returning)})
    return arm


def pairs(estimate, method, arms):
    return [wald(method, estimate(arms[0], arms), estimate(arm, arms)) for arm in arms[1:]]


def definition(kind, **more):
    return {"kind": kind, "format": "number", "withinDays": 7, **more}


def poisson(rng, mean):
    limit, count, product = math.exp(-mean), 0, rng.random()
    while product > limit:
        count += 1
        product *= rng.random()
    return count


def steps_of(rng, chances):
    reached, going = [], True
    for chance in chances:
        going = going and rng.random() < chance
        reached.append(going)
    return {"x": 1.0 if going else 0.0, "reached": reached}


def step_comparisons(method, arms, index):
    own = []
    for arm in arms:
        before = [v for v in arm if index == 0 or v["reached"][index - 1]]
        own.append([{**v, "x": 1.0 if v["reached"][index] else 0.0} for v in before])
    return compare_shares(method, own)


def cases():
    rng = random.Random(20261119)
    found = []
    for method in ("sequential", "frequentist", "bayesian"):
        orders = lambda lift: lambda r, back: {"x": float(poisson(r, (0.25 if back else 0.12) * lift))}
        arms = [people(rng, 900, orders(1)), people(rng, 950, orders(1.3)), people(rng, 700, orders(0.9))]
        found.append(
            case("count", method, definition("count"), arms, [
                ("conversion-rate", {}, compare_shares(method, arms)),
                ("conversions-per-visitor", {}, pairs(mean_estimate, method, arms)),
            ])
        )
        arms = [people(rng, 800, orders(1), 0.2), people(rng, 950, orders(1.3), 0.5)]
        found.append(
            case("event, new and returning visitors", method, definition("event", of="count"), arms, [
                ("events-per-visitor", {}, pairs(mean_estimate, method, arms)),
                ("visitor-share", {}, compare_shares(method, arms)),
            ])
        )
        spent = lambda lift: lambda r, back: {"x": round(r.expovariate(1 / 40) * lift, 2) if r.random() < 0.2 else 0.0}
        arms = [people(rng, 800, spent(1), 0.02), people(rng, 850, spent(1.4), 0.02)]
        found.append(
            case("sum, too few returning visitors for a stratum", method, definition("sum", format="money"), arms, [
                ("sum-per-visitor", {}, pairs(mean_estimate, method, arms)),
                ("visitor-share", {}, compare_shares(method, arms)),
            ])
        )

        def errors(rate):
            def draw(r, back):
                views = 1 + poisson(r, 6 if back else 2)
                return {"x": float(sum(r.random() < rate for _ in range(views))), "d": float(views)}
            return draw

        arms = [people(rng, 600, errors(0.1)), people(rng, 640, errors(0.13))]
        found.append(case("ratio", method, definition("ratio"), arms, [("ratio", {}, pairs(ratio_estimate, method, arms))]))
        arms = [people(rng, 600, errors(0.2), 0.15), people(rng, 640, errors(0.15), 0.6)]
        found.append(
            case("bounces, new and returning visitors", method, definition("page", of="bounce"), arms, [
                ("bounce-rate", {}, pairs(ratio_estimate, method, arms)),
            ])
        )
        stays = lambda chance: lambda r, back: {"x": 1.0 if r.random() < chance else 0.0}
        arms = [people(rng, 1200, stays(0.3)), people(rng, 1100, stays(0.35))]
        found.append(
            case("retention", method, definition("retention"), arms, [("retention-rate", {}, compare_shares(method, arms))])
        )
        funnel = lambda chances: lambda r, back: steps_of(r, chances)
        arms = [people(rng, 1500, funnel([0.6, 0.5, 0.4])), people(rng, 1400, funnel([0.6, 0.6, 0.42]))]
        steps = ["/cart", "/checkout", "paid"]
        found.append(
            case("funnel", method, definition("funnel", steps=steps), arms, [
                ("completion-rate", {}, compare_shares(method, arms)),
                *[("step-rate", {"step": i + 1}, step_comparisons(method, arms, i)) for i in range(3)],
            ])
        )
        estimates = [(1.82, 0.05, 900, 3100), (1.61, 0.06, 700, 2500)]
        quantiles = [
            {"variationKey": key, "includeBots": False, "visitors": n, "pending": 5, "values": values, "value": value,
             "standardError": error}
            for key, (value, error, n, values) in zip(("control", "b"), estimates)
        ]
        arms = [(value, error**2, n) for value, error, n, _ in estimates]
        found.append({
            "name": f"quantile, {method}", "method": method,
            "definition": definition("quantile", quantile=0.9, format="seconds"), "groups": [], "quantiles": quantiles,
            "expected": [{"metric": "quantile", "variations": [wald(method, arms[0], arms[1])]}],
        })
    return found


def main():
    found = cases()
    lines = ",\n".join("    " + json.dumps(each) for each in found)
    about = "Metrics of visitors, compared by definition. Generated by make-metric-cases.py."
    (HERE / "stats-metrics.json").write_text(f'{{\n  "about": {json.dumps(about)},\n  "cases": [\n{lines}\n  ]\n}}\n')
    print(f"stats-metrics.json: {len(found)} cases")


if __name__ == "__main__":
    main()

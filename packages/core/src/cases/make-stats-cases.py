#!/usr/bin/env python3
"""Generates the stats-*.json in this folder: reference values of mpmath, SciPy and statsmodels.

Debian: apt-get install python3-scipy python3-statsmodels python3-mpmath, then
/usr/bin/python3 packages/core/src/cases/make-stats-cases.py

Expectations come from the raw visitors where there are any (SciPy's own tests on arrays, numerical derivatives for
the delta method, numerical integrals for posteriors, bisection for p-values), never from the formulas on sums that
they are held against. Distributions are computed with 40 digits by mpmath and must agree with SciPy here.
"""

import json
import math
import pathlib
import warnings

import mpmath as mp
import numpy as np
from scipy import optimize, stats
from statsmodels.stats import power as sm_power
from statsmodels.stats import proportion as sm_proportion
from statsmodels.stats.multitest import multipletests

mp.mp.dps = 40
HERE = pathlib.Path(__file__).parent
SEED = 20261115


def write(name, about, cases):
    document = {"about": about, "cases": cases}
    lines = ",\n".join("    " + json.dumps(case) for case in cases)
    head = json.dumps({"about": about}, indent=2)[:-2]
    text = f'{head},\n  "cases": [\n{lines}\n  ]\n}}\n'
    assert json.loads(text) == document
    (HERE / name).write_text(text)
    print(f"{name}: {len(cases)} cases")


# Distributions


def agree(ours, theirs, what, tolerance=1e-8):
    ours, theirs = float(ours), float(theirs)
    # SciPy fails far out in the tails; only mpmath is used there.
    if theirs in (0.0, math.inf) or not math.isfinite(theirs):
        return
    assert math.isclose(ours, theirs, rel_tol=tolerance), (what, ours, theirs)


def root(f, start):
    start = mp.mpf(float(start))
    if f(start) == 0:
        return start
    return mp.findroot(f, (start * (1 - mp.mpf("1e-7")), start * (1 + mp.mpf("1e-7"))), tol=mp.mpf("1e-30"), verify=False)


def normal_sf(z):
    return mp.erfc(mp.mpf(z) / mp.sqrt(2)) / 2


def normal_density(z):
    return mp.exp(-mp.mpf(z) ** 2 / 2) / mp.sqrt(2 * mp.pi)


def series(term, ratio):
    """term + term * ratio(1) + term * ratio(1) * ratio(2) + …, all positive; for cases where mpmath fails."""
    total, k = term, 0
    while term > total * mp.mpf(10) ** -45 or ratio(k + 1) > 1:
        k += 1
        term *= ratio(k)
        total += term
    return total


def beta_lower(a, b, x):
    try:
        return mp.betainc(a, b, 0, x, regularized=True)
    except (mp.libmp.libhyper.NoConvergence, ValueError):
        log_first = a * mp.log(x) + b * mp.log1p(-x) - mp.log(a) - mp.log(mp.beta(a, b))
        return series(mp.exp(log_first), lambda k: (a + b + k - 1) / (a + k) * x)


def beta_tails(a, b, x):
    a, b, x = mp.mpf(a), mp.mpf(b), mp.mpf(x)
    lower, upper = beta_lower(a, b, x), beta_lower(b, a, 1 - x)
    assert abs(lower + upper - 1) < mp.mpf("1e-25"), (a, b, x)
    return lower, upper


def gamma_tails(a, x):
    a, x = mp.mpf(a), mp.mpf(x)
    try:
        lower = mp.gammainc(a, 0, x, regularized=True)
        upper = mp.gammainc(a, x, mp.inf, regularized=True)
    except (mp.libmp.libhyper.NoConvergence, ValueError):
        lower = series(mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1)), lambda k: x / (a + k))
        upper = 1 - lower
        # Below this, the difference has no reliable digits left.
        assert upper > mp.mpf("1e-20"), (a, x)
    assert abs(lower + upper - 1) < mp.mpf("1e-25"), (a, x)
    return lower, upper


def student_two_sided(t, df):
    t, df = abs(mp.mpf(t)), mp.mpf(df)
    if df > 500:
        # The series converges too slowly here; the density is smooth.
        constant = mp.exp(mp.loggamma((df + 1) / 2) - mp.loggamma(df / 2)) / mp.sqrt(df * mp.pi)
        density = lambda x: constant * mp.exp(-(df + 1) / 2 * mp.log1p(x * x / df))
        if t < 2:
            return 1 - 2 * mp.quad(density, [0, t])
        step = 1 / t
        return 2 * mp.quad(density, [t + k * step for k in (0, 2, 4, 8, 16, 32, 64)] + [mp.inf])
    return mp.betainc(df / 2, mp.mpf(1) / 2, 0, df / (df + t * t), regularized=True)


def distribution_cases():
    cases = []

    def case(function, args, expected, theirs):
        agree(expected, theirs, (function, args))
        value = float(expected)
        if value == 0.0 or abs(value) < 1e-300 or not math.isfinite(value):
            return
        cases.append({"function": function, "args": args, "expected": value})

    for z in [-9, -3.5, -1.96, -1, -0.1, 1e-8, 0.3, 0.67, 1, 1.5, 1.99, 2, 2.01, 2.5758, 3, 4, 5, 7, 10, 20, 37]:
        case("normalSurvival", [z], normal_sf(z), stats.norm.sf(z))
        case("normalCdf", [z], normal_sf(-mp.mpf(z)), stats.norm.cdf(z))
        loss = normal_density(z) - mp.mpf(z) * normal_sf(z)
        case("normalLoss", [z], loss, loss)
    for p in [0.4999, 0.4, 0.25, 0.1, 0.05, 0.025, 0.005, 5e-4, 1e-6, 1e-9, 1e-12, 1e-15, 1e-50, 1e-200, 1e-299]:
        case("normalUpperQuantile", [p], root(lambda z: mp.log(normal_sf(z)) - mp.log(mp.mpf(p)), stats.norm.isf(p)), stats.norm.isf(p))
        case("normalQuantile", [p], -root(lambda z: mp.log(normal_sf(z)) - mp.log(mp.mpf(p)), stats.norm.isf(p)), stats.norm.ppf(p))
    for df in [1, 1.5, 2, 3.7, 5, 10, 29.3, 100, 998.4, 1e4, 1e6]:
        for t in [1e-6, 0.2, 0.7, 1, 1.5, 1.7320508, 1.96, 2.5, 4, 7.2, 12, 30, 200]:
            case("studentTwoSided", [t, df], student_two_sided(t, df), 2 * stats.t.sf(t, df))
        for p in [0.45, 0.25, 0.05, 0.025, 0.005, 1e-4, 1e-8, 1e-13, 1e-40]:
            start = stats.t.isf(p, df)
            if not math.isfinite(start) or start > 1e30:
                continue
            solved = root(lambda t: mp.log(student_two_sided(t, df)) - mp.log(2 * mp.mpf(p)), start)
            case("studentUpperQuantile", [p, df], solved, start)
    for df in [1, 2, 3, 5, 9, 24, 199]:
        for x in [1e-4, 0.1, 0.5, 1, 2, 3.84, 6.63, 10.828, 25, 60, 150, 400, 1200]:
            lower, upper = gamma_tails(mp.mpf(df) / 2, mp.mpf(x) / 2)
            case("chiSquareSurvival", [x, df], upper, stats.chi2.sf(x, df))
            case("chiSquareCdf", [x, df], lower, stats.chi2.cdf(x, df))
        for p in [0.9, 0.5, 0.1, 0.05, 0.01, 1e-3, 1e-8, 1e-12, 1e-60]:
            start = stats.chi2.isf(p, df)
            solved = root(lambda x: mp.log(gamma_tails(mp.mpf(df) / 2, x / 2)[1]) - mp.log(mp.mpf(p)), start)
            case("chiSquareUpperQuantile", [p, df], solved, start)
    for shape in [0.05, 0.5, 1, 2.3, 17, 250, 10_000]:
        for factor in [0.3, 0.95, 0.99, 1, 1.01, 1.05] if shape > 1000 else [0.01, 0.3, 0.8, 0.99, 1, 1.01, 1.3, 2, 6]:
            x = shape * factor
            lower, upper = gamma_tails(shape, x)
            case("gammaCdf", [x, shape], lower, stats.gamma.cdf(x, shape))
            case("gammaSurvival", [x, shape], upper, stats.gamma.sf(x, shape))
        for p in [1e-12, 0.01, 0.3, 0.7, 0.99]:
            start = stats.gamma.ppf(p, shape)
            if start < 1e-250:
                continue
            case("gammaQuantile", [p, shape], root(lambda x: gamma_tails(shape, x)[0] / mp.mpf(p) - 1, start), start)
            start = stats.gamma.isf(p, shape)
            if start < 1e-250:
                continue
            case("gammaUpperQuantile", [p, shape], root(lambda x: gamma_tails(shape, x)[1] - mp.mpf(p), start), start)
    for a, b in [(0.3, 0.4), (1, 1), (2, 5), (0.5, 200), (30, 3), (51, 951), (401, 4601), (2e4, 3e4)]:
        mean = a / (a + b)
        for factor in [0.05, 0.6, 0.9, 0.99, 1, 1.01, 1.1, 1.5]:
            x = mean * factor
            if x >= 1:
                continue
            lower, upper = beta_tails(a, b, x)
            case("betaCdf", [x, a, b], lower, stats.beta.cdf(x, a, b))
            case("betaSurvival", [x, a, b], upper, stats.beta.sf(x, a, b))
        for p in [1e-12, 0.025, 0.4, 0.8, 0.975]:
            start = stats.beta.ppf(p, a, b)
            if start < 1e-250:
                continue
            case("betaQuantile", [p, a, b], root(lambda x: beta_lower(mp.mpf(a), mp.mpf(b), x) / mp.mpf(p) - 1, start), start)
    for x in [1e-5, 0.1, 0.5, 2.7, 9.99, 10.01, 170.2, 1e6]:
        case("logGamma", [x], mp.loggamma(mp.mpf(x)), mp.loggamma(mp.mpf(x)))
    return cases


# Comparisons of variations, from individual visitors


def sums_of(y, x=None):
    sums = {"n": len(y), "sum": math.fsum(y), "sumSquares": math.fsum(v * v for v in y)}
    if x is not None:
        sums["covariateSum"] = math.fsum(x)
        sums["covariateSumSquares"] = math.fsum(v * v for v in x)
        sums["covariateProduct"] = math.fsum(a * b for a, b in zip(y, x))
    return sums


def around(estimate, half):
    return {"estimate": float(estimate), "low": float(estimate - half), "high": float(estimate + half)}


def point(estimate):
    return {"estimate": float(estimate), "low": None, "high": None}


def mean_of(values):
    return mp.fsum(mp.mpf(float(v)) for v in values) / len(values)


def covariance(a, b, ddof):
    ma, mb = mean_of(a), mean_of(b)
    return mp.fsum((mp.mpf(float(v)) - ma) * (mp.mpf(float(w)) - mb) for v, w in zip(a, b)) / (len(a) - ddof)


def relative_by_derivatives(control, variation, raw_control, ddof):
    """Estimate and variance of (variation - control) / raw control, with numerical derivatives."""
    at = (mean_of(variation), mean_of(control), mean_of(raw_control))
    f = lambda t, c, r: (t - c) / r
    gradient = [mp.diff(f, at, order) for order in [(1, 0, 0), (0, 1, 0), (0, 0, 1)]]
    n, m = len(control), len(variation)
    variance = gradient[0] ** 2 * covariance(variation, variation, ddof) / m
    both = [control, raw_control]
    for i in range(2):
        for j in range(2):
            variance += gradient[1 + i] * gradient[1 + j] * covariance(both[i], both[j], ddof) / n
    return f(*at), variance


def sequential_half_width(variance, n, alpha, rho):
    """The bound of the paper for the mean of n values, with n times the variance of the effect as their variance."""
    s = mp.sqrt(variance * n)
    return s * mp.sqrt(2 * (n * rho**2 + 1) / (n**2 * rho**2) * mp.log(mp.sqrt(n * rho**2 + 1) / alpha))


def sequential_rho(alpha, n_star):
    return mp.sqrt((-2 * mp.log(alpha) + mp.log(-2 * mp.log(alpha) + 1)) / n_star)


def sequential_p_value(estimate, variance, n, rho):
    """The level at which the bound touches zero, by bisection over its logarithm."""
    excess = lambda log_level: sequential_half_width(variance, n, mp.exp(log_level), rho) - abs(estimate)
    if excess(mp.mpf(0)) >= 0:
        return mp.mpf(1)
    low, high = mp.mpf(-5000), mp.mpf(0)
    for _ in range(220):
        middle = (low + high) / 2
        if excess(middle) > 0:
            low = middle
        else:
            high = middle
    return mp.exp(high)


def posterior(estimate, variance, prior):
    """Mean and variance of prior times likelihood, by integration."""
    if not prior:
        return estimate, variance
    sd = mp.sqrt(variance)
    p_mean, p_sd = mp.mpf(prior[0]), mp.mpf(prior[1])
    weight = lambda d: mp.exp(-((d - estimate) ** 2) / (2 * variance) - (d - p_mean) ** 2 / (2 * p_sd**2))
    centre = (estimate / variance + p_mean / p_sd**2) / (1 / variance + 1 / p_sd**2)
    width = 1 / mp.sqrt(1 / variance + 1 / p_sd**2)
    grid = [centre + k * width for k in range(-16, 17, 2)]
    total = mp.quad(weight, grid)
    mean = mp.quad(lambda d: d * weight(d), grid) / total
    return mean, mp.quad(lambda d: (d - mean) ** 2 * weight(d), grid) / total


def bayesian(absolute, relative, alpha, prior):
    z = mp.mpf(float(stats.norm.isf(alpha / 2)))
    (d, v), (r, rv) = absolute, relative
    sd = mp.sqrt(v)
    chance = normal_sf(-d / sd)
    # Integrated over losses only, in pieces of the length scale of the density there.
    piece = sd / max(d / sd, mp.mpf(1))
    middle = [d] if d < 0 else []
    start = (d - 30 * sd) if d < 0 else -100 * piece
    inner = [-piece * k for k in (64, 32, 16, 8, 4, 2, 1, mp.mpf("0.5"), 0)]
    pieces = sorted({start, *middle, *(d + k * sd for k in range(-14, 15, 2) if d + k * sd < 0), *inner})
    loss = mp.quad(lambda x: -x * normal_density((x - d) / sd) / sd, pieces)
    return {
        "absolute": around(d, z * sd),
        "relative": None if r is None else around(r, z * mp.sqrt(rv)),
        "pValue": None,
        "chanceToBeat": float(chance),
        "expectedLoss": float(loss),
    }


def expectation(method, metric, control, variation, raw_control, alpha, n_star, prior, adjusted):
    """`control` and `variation` are the compared values, `raw_control` the base of the relative uplift."""
    ddof = 0 if metric == "proportion" else 1
    d = mean_of(variation) - mean_of(control)
    v = covariance(control, control, ddof) / len(control) + covariance(variation, variation, ddof) / len(variation)
    base = mean_of(raw_control)
    r, rv = (None, None) if base == 0 else relative_by_derivatives(control, variation, raw_control, ddof)
    n = len(control) + len(variation)
    if method == "sequential":
        rho = sequential_rho(mp.mpf(alpha), mp.mpf(n_star))
        half = lambda variance: sequential_half_width(variance, n, mp.mpf(alpha), rho)
        return {
            "absolute": around(d, half(v)),
            "relative": None if r is None else around(r, half(rv)),
            "pValue": float(sequential_p_value(d, v, n, rho)),
            "chanceToBeat": None,
            "expectedLoss": None,
        }
    if method == "bayesian":
        if prior:
            scaled = (prior["mean"] * abs(base), prior["sd"] * abs(base))
            return bayesian(posterior(d, v, scaled), posterior(r, rv, (prior["mean"], prior["sd"])), alpha, prior)
        return bayesian((d, v), (r, rv), alpha, None)
    if metric == "proportion":
        z = mp.mpf(float(stats.norm.isf(alpha / 2)))
        interval = around(d, z * mp.sqrt(v))
        counts, sizes = [int(sum(variation)), int(sum(control))], [len(variation), len(control)]
        if adjusted:
            p = float(2 * normal_sf(abs(d) / mp.sqrt(v)))
        else:
            p = float(sm_proportion.proportions_ztest(counts, sizes)[1])
            low, high = sm_proportion.confint_proportions_2indep(
                counts[0], sizes[0], counts[1], sizes[1], method="wald", compare="diff", alpha=alpha
            )
            agree(interval["low"], low, "wald")
            agree(interval["high"], high, "wald")
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            p = float(stats.ttest_ind(variation, control, equal_var=False)[1])
        a, b = covariance(control, control, 1) / len(control), covariance(variation, variation, 1) / len(variation)
        df = (a + b) ** 2 / (a**2 / (len(control) - 1) + b**2 / (len(variation) - 1))
        z = root(lambda t: mp.log(student_two_sided(t, df)) - mp.log(mp.mpf(alpha)), stats.t.isf(alpha / 2, float(df)))
        interval = around(d, z * mp.sqrt(v))
    return {
        "absolute": interval,
        "relative": None if r is None else around(r, z * mp.sqrt(rv)),
        "pValue": p,
        "chanceToBeat": None,
        "expectedLoss": None,
    }


NOTHING = {"absolute": None, "relative": None, "pValue": None, "chanceToBeat": None, "expectedLoss": None}


def analysis_case(name, method, metric, arms, alpha=0.05, n_star=5000, prior=None, covariates=None):
    """`arms` are lists of visitors' values, the first is the control."""
    values = [np.asarray(arm, dtype=float) for arm in arms]
    adjusted = values
    if covariates is not None:
        xs = [np.asarray(x, dtype=float) for x in covariates]
        pooled = np.cov(np.concatenate(values), np.concatenate(xs))
        theta = pooled[0, 1] / pooled[1, 1]
        adjusted = [y - theta * x for y, x in zip(values, xs)]
    given = {"method": method, "metric": metric, "alpha": alpha, "sequentialN": n_star, "control": "v0"}
    if prior:
        given["prior"] = {"proper": True, **prior}
    given["variations"] = [
        {"key": f"v{i}", **sums_of(y, covariates[i] if covariates is not None else None)} for i, y in enumerate(values)
    ]
    expected = []
    for i, y in enumerate(values):
        result = (
            NOTHING
            if i == 0
            else expectation(
                method, metric, adjusted[0], adjusted[i], values[0], alpha, n_star, prior, covariates is not None
            )
        )
        expected.append({"key": f"v{i}", "n": len(y), "mean": float(mean_of(y)), **result})
    return {"name": name, "input": given, "expected": expected}


def ratio_case(name, method, arms, alpha=0.05):
    """`arms` are pairs of lists (value, denominator) per visitor."""
    variations, estimates = [], []
    for i, (y, d) in enumerate(arms):
        y, d = np.asarray(y, dtype=float), np.asarray(d, dtype=float)
        sums = sums_of(y)
        sums["denominatorSum"] = math.fsum(d)
        sums["denominatorSumSquares"] = math.fsum(v * v for v in d)
        sums["product"] = math.fsum(a * b for a, b in zip(y, d))
        variations.append({"key": f"v{i}", **sums})
        at = (mean_of(y), mean_of(d))
        gradient = [mp.diff(lambda a, b: a / b, at, order) for order in [(1, 0), (0, 1)]]
        both = [y, d]
        variance = sum(
            gradient[j] * gradient[k] * covariance(both[j], both[k], 1) for j in range(2) for k in range(2)
        )
        estimates.append((at[0] / at[1], variance, len(y)))
    (c, cv, cn), expected = estimates[0], []
    for i, (t, tv, tn) in enumerate(estimates):
        result = NOTHING
        if i > 0:
            d, v = t - c, tv / tn + cv / cn
            gradient = [mp.diff(lambda a, b: a / b - 1, (t, c), order) for order in [(1, 0), (0, 1)]]
            rv = gradient[0] ** 2 * tv / tn + gradient[1] ** 2 * cv / cn
            df = v**2 / ((cv / cn) ** 2 / (cn - 1) + (tv / tn) ** 2 / (tn - 1))
            if method == "frequentist":
                z = root(lambda q: mp.log(student_two_sided(q, df)) - mp.log(mp.mpf(alpha)), stats.t.isf(alpha / 2, float(df)))
                result = {
                    **NOTHING,
                    "absolute": around(d, z * mp.sqrt(v)),
                    "relative": around(t / c - 1, z * mp.sqrt(rv)),
                    "pValue": float(student_two_sided(d / mp.sqrt(v), df)),
                }
            else:
                rho = sequential_rho(mp.mpf(alpha), mp.mpf(5000))
                n = cn + tn
                result = {
                    **NOTHING,
                    "absolute": around(d, sequential_half_width(v, n, mp.mpf(alpha), rho)),
                    "relative": around(t / c - 1, sequential_half_width(rv, n, mp.mpf(alpha), rho)),
                    "pValue": float(sequential_p_value(d, v, n, rho)),
                }
        expected.append({"key": f"v{i}", "n": tn, "mean": float(t), **result})
    given = {"method": method, "metric": "ratio", "alpha": alpha, "control": "v0", "variations": variations}
    return {"name": name, "input": given, "expected": expected}


def visitors(rng, n, rate, mean, refunds=0.0):
    """Revenue per visitor in cents: most buy nothing, a few buy, and some refunds exceed the purchase."""
    buys = rng.random(n) < rate
    value = np.where(buys, np.round(rng.exponential(mean, n), 2), 0.0)
    back = rng.random(n) < refunds
    return np.where(back, np.round(value - rng.exponential(mean, n), 2), value)


def converted(n, k):
    return [1.0] * k + [0.0] * (n - k)


def analysis_cases():
    rng = np.random.default_rng(SEED)
    cases = []
    for method in ["sequential", "frequentist", "bayesian"]:
        def mean(name, arms, **options):
            cases.append(analysis_case(f"{method}, mean: {name}", method, "mean", arms, **options))

        def rate(name, counts, **options):
            arms = [converted(n, k) for n, k in counts]
            cases.append(analysis_case(f"{method}, proportion: {name}", method, "proportion", arms, **options))

        mean("revenue", [visitors(rng, 1200, 0.1, 40), visitors(rng, 1100, 0.12, 42)])
        mean("three variations", [visitors(rng, 400, 0.3, 10), visitors(rng, 500, 0.3, 12), visitors(rng, 300, 0.4, 10)])
        mean("counts per visitor", [rng.poisson(1.3, 900), rng.poisson(1.5, 950)])
        mean("sums below zero after refunds", [visitors(rng, 300, 0.2, 20, 0.3), visitors(rng, 320, 0.2, 20, 0.2)])
        mean("the variation's sum below zero", [visitors(rng, 400, 0.3, 20), visitors(rng, 400, 0.2, 5, 0.2)])
        mean("two visitors each", [[1.0, 2.5], [4.0, 3.25]])
        mean("three against two", [[0.0, 0.0, 1.0], [1.0, 3.0]])
        mean("far out in the tail", [rng.normal(10, 2, 500), rng.normal(11.1, 2.2, 480)])
        mean("farther out", [rng.normal(10, 1, 700), rng.normal(12, 1, 700)])
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
        xs = [(rng.random(n) < 0.4).astype(float) for n in (600, 640)]
        ys = [(rng.random(len(x)) < 0.1 + 0.5 * x + 0.03 * i).astype(float) for i, x in enumerate(xs)]
        cases.append(analysis_case(f"{method}, proportion: covariate", method, "proportion", ys, covariates=xs))
    cases.append(analysis_case("frequentist, mean: one arm without spread", "frequentist", "mean", [[1, 2, 4, 3.5], [5, 5, 5]]))
    cases.append(
        analysis_case("frequentist, proportion: none converted in one arm", "frequentist", "proportion", [converted(20, 0), converted(20, 5)])
    )
    for prior in [{"mean": 0, "sd": 0.3}, {"mean": 0.1, "sd": 0.05}]:
        arms = [visitors(rng, 800, 0.2, 30), visitors(rng, 820, 0.22, 31)]
        cases.append(analysis_case(f"bayesian, mean: prior {prior}", "bayesian", "mean", arms, prior=prior))
        arms = [converted(3000, 150), converted(3000, 180)]
        cases.append(analysis_case(f"bayesian, proportion: prior {prior}", "bayesian", "proportion", arms, prior=prior))
    for method in ["sequential", "frequentist"]:
        arms = []
        for n, p, m in [(900, 0.2, 30), (950, 0.22, 33), (60, 0.4, 33)]:
            y = visitors(rng, n, p, m, 0.01)
            arms.append((y, (y != 0).astype(float)))
        cases.append(ratio_case(f"{method}, ratio: revenue per converted visitor", method, arms))
        arms = [(rng.gamma(2, 3, n) * s, s) for n in (300, 280) for s in [rng.poisson(3, n).astype(float)]]
        cases.append(ratio_case(f"{method}, ratio: value per session", method, arms))
    return cases


# Other tools


def other_cases():
    rng = np.random.default_rng(SEED)
    cases = []
    for observed, weights in [
        ([5000, 5100], [1, 1]),
        ([5000, 5500], [50, 50]),
        ([480, 390, 130], [0.5, 0.4, 0.1]),
        ([100_000, 97_000], [1, 1]),
        ([1000, 2000, 3000, 4400], [10, 20, 30, 40]),
        ([60, 40], [1, 1]),
        ([3, 0], [1, 1]),
    ]:
        expected = np.array(weights) / sum(weights) * sum(observed)
        chi, _ = stats.chisquare(observed, expected)
        p = gamma_tails(mp.mpf(len(observed) - 1) / 2, mp.mpf(float(chi)) / 2)[1]
        agree(p, stats.chisquare(observed, expected)[1], "srm")
        cases.append({"function": "sampleRatio", "args": [observed, weights], "expected": {"chiSquare": float(chi), "pValue": float(p)}})
    for p_values in [[0.01, 0.04, 0.03, 0.005], [0.5], [0.9, 1e-12, 0.05, 0.05, 0.2, 0.001], [1.0, 1.0, 0.0], list(rng.random(20) ** 3)]:
        for ours, theirs in [("holm", "holm"), ("benjamini-hochberg", "fdr_bh")]:
            expected = [float(p) for p in multipletests(p_values, method=theirs)[1]]
            cases.append({"function": "adjustPValues", "args": [p_values, ours], "expected": expected})
    for alpha, power in [(0.05, 0.8), (0.01, 0.9)]:
        for mean, sd, effect in [(10, 25, 0.05), (1.2, 1.1, 0.1), (-4, 9, 0.2)]:
            size = abs(mean * effect) / sd
            n = sm_power.NormalIndPower().solve_power(effect_size=size, alpha=alpha / 2, power=power, alternative="larger")
            given = {"baseline": {"metric": "mean", "mean": mean, "variance": sd * sd}, "smallestEffect": {"kind": "relative", "value": effect}}
            cases.append({"function": "planTest", "args": [{"method": "frequentist", "alpha": alpha, "power": power, **given}], "expected": math.ceil(n)})
            # Sequential: the bound of the paper plus the margin for the power equals the effect.
            rho, reserve = sequential_rho(mp.mpf(alpha), 5000), float(stats.norm.isf(1 - power))
            def short(half):
                v = 2 * mp.mpf(sd) ** 2 / mp.mpf(half)
                return float(sequential_half_width(v, 2 * mp.mpf(half), mp.mpf(alpha), rho) + reserve * mp.sqrt(v) - abs(mean * effect))
            n = optimize.brentq(short, 2, 1e9, xtol=1e-6)
            cases.append({"function": "planTest", "args": [{"method": "sequential", "alpha": alpha, "power": power, **given}], "expected": math.ceil(n)})
        for rate, change in [(0.1, 0.01), (0.03, -0.006), (0.5, 0.02)]:
            n = sm_proportion.samplesize_proportions_2indep_onetail(change, rate, power, alpha=alpha / 2, alternative="larger" if change > 0 else "smaller")
            given = {"baseline": {"metric": "proportion", "rate": rate}, "smallestEffect": {"kind": "absolute", "value": change}}
            cases.append({"function": "planTest", "args": [{"method": "frequentist", "alpha": alpha, "power": power, **given}], "expected": math.ceil(n)})
    return cases


write(
    "stats-distributions.json",
    ["Distribution functions and quantiles: `function`(...`args`) is `expected`, to a relative 1e-9.", "Generated by make-stats-cases.py with mpmath (40 digits), and checked against SciPy."],
    distribution_cases(),
)
write(
    "stats-analyses.json",
    [
        "analyse(`input`) returns `expected`, to a relative 1e-9 (confidence sequences: 1e-6).",
        "Generated by make-stats-cases.py from individual visitors with SciPy, statsmodels and mpmath; `input` has their sums.",
    ],
    analysis_cases(),
)
write(
    "stats-tools.json",
    ["Sample ratio, multiple testing, sample size: `function`(...`args`) is `expected`.", "Generated by make-stats-cases.py with SciPy and statsmodels."],
    other_cases(),
)

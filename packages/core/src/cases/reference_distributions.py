"""Distribution functions and quantiles with 40 digits by mpmath, which must agree with SciPy."""

import math

import mpmath as mp
from scipy import stats

mp.mp.dps = 40


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
    for df in [1, 1.5, 2, 3.7, 5, 10, 29.3, 100, 998.4, 1e4, 1e6]:
        for t in [1e-6, 0.2, 0.7, 1, 1.5, 1.7320508, 1.96, 2.5, 4, 7.2, 12, 30, 200]:
            case("studentTwoSided", [t, df], student_two_sided(t, df), 2 * stats.t.sf(t, df))
        for p in [0.45, 0.25, 0.05, 0.025, 0.005, 1e-4, 1e-8, 1e-13, 1e-40]:
            start = stats.t.isf(p, df)
            if not math.isfinite(start) or start > 1e30:
                continue
            solved = root(lambda t: mp.log(student_two_sided(t, df)) - mp.log(2 * mp.mpf(p)), start)
            case("studentUpperQuantile", [p, df], solved, start)
    for a, b in [(0.3, 0.4), (1, 1), (2, 5), (0.5, 200), (30, 3), (51, 951), (401, 4601), (2e4, 3e4)]:
        mean = a / (a + b)
        for factor in [0.05, 0.6, 0.9, 0.99, 1, 1.01, 1.1, 1.5]:
            x = mean * factor
            if x >= 1:
                continue
            lower, upper = beta_tails(a, b, x)
            case("betaCdf", [x, a, b], lower, stats.beta.cdf(x, a, b))
            case("betaSurvival", [x, a, b], upper, stats.beta.sf(x, a, b))
    for x in [1e-5, 0.1, 0.5, 2.7, 9.99, 10.01, 170.2, 1e6]:
        case("logGamma", [x], mp.loggamma(mp.mpf(x)), mp.loggamma(mp.mpf(x)))
    return cases

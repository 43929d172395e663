"""What one comparison must return, from the definitions: sets of effects that a test does not reject.

Bounds are found by bisection on the test itself, maximum likelihood estimates by bisection on the slope of the
likelihood, posteriors by summing prior times likelihood over a grid.
"""

import math
from dataclasses import dataclass

import mpmath as mp
from scipy import optimize, special, stats
from statsmodels.stats import proportion as sm_proportion

import reference_group_sequential as group_sequential
from reference_distributions import normal_density, normal_sf, root, student_two_sided

NOTHING = {"absolute": None, "relative": None, "pValue": None, "chanceToBeat": None, "expectedLoss": None}


@dataclass
class Effect:
    """The difference of the (adjusted) means and the observed mean of the control, with their covariance matrix."""

    difference: mp.mpf
    base: mp.mpf
    # Variances of the two means; None for a single visitor.
    of_control: mp.mpf
    of_variation: mp.mpf
    base_variance: mp.mpf
    covariance: mp.mpf
    sizes: tuple
    # (visitors, converted) of both arms for proportions without covariate.
    counts: tuple = None
    # The relative uplift cannot be below -1.
    cut: bool = False

    @property
    def variance(self):
        return self.of_control + self.of_variation

    @property
    def visitors(self):
        return sum(self.sizes)

    @property
    def df(self):
        parts = zip((self.of_control, self.of_variation), self.sizes)
        return self.variance**2 / sum(v**2 / (n - 1) for v, n in parts)


def mean_of(values):
    return mp.fsum(mp.mpf(v) for v in values) / len(values)


def covariance(a, b, ddof):
    ma, mb = mean_of(a), mean_of(b)
    return mp.fsum((mp.mpf(v) - ma) * (mp.mpf(w) - mb) for v, w in zip(a, b)) / (len(a) - ddof)


def effect_of_means(control, variation, observed, ddof, cut):
    """`control` and `variation` are the compared values, `observed` the control's without adjustment."""
    n, m = len(control), len(variation)
    return Effect(
        difference=mean_of(variation) - mean_of(control),
        base=mean_of(observed),
        of_control=covariance(control, control, ddof) / n,
        of_variation=covariance(variation, variation, ddof) / m,
        base_variance=covariance(observed, observed, ddof) / n,
        covariance=-covariance(control, observed, ddof) / n,
        sizes=(n, m),
        cut=cut,
    )


def effect_of_counts(control, variation):
    (n, a), (m, b) = control, variation
    p, q = mp.mpf(a) / n, mp.mpf(b) / m
    v = p * (1 - p) / n
    return Effect(q - p, p, v, q * (1 - q) / m, v, -v, (n, m), counts=(control, variation), cut=True)


def effect_of_ratios(control, variation):
    """Both are (ratio, variance of the ratio, visitors)."""
    (c, cv, n), (t, tv, m) = control, variation
    return Effect(t - c, c, cv, tv, cv, -cv, (n, m))


# Bisection and maximum likelihood


def bisect(accepts, inside, outside, steps=90):
    """The last accepted value between an accepted and a rejected one."""
    for _ in range(steps):
        middle = (inside + outside) / 2
        if accepts(middle):
            inside = middle
        else:
            outside = middle
    return inside


def most_likely(terms, low, high):
    """The p in [low, high] that maximises the sum of count · log(offset + slope · p): where its derivative, which
    falls, changes sign."""
    terms = [term for term in terms if term[0] > 0]

    def rises(p):
        return sum(count * slope / (offset + slope * p) for count, offset, slope in terms) > 0

    return bisect(rises, low, high) if terms else low


def score_of_difference(counts, delta):
    (n, a), (m, b) = counts
    low, high = max(mp.mpf(0), -delta), min(mp.mpf(1), 1 - delta)
    p = most_likely([(a, 0, 1), (n - a, 1, -1), (b, delta, 1), (m - b, 1 - delta, -1)], low, high)
    q = p + delta
    return score(mp.mpf(b) / m - mp.mpf(a) / n - delta, p * (1 - p) / n + q * (1 - q) / m)


def score_of_ratio(counts, r):
    (n, a), (m, b) = counts
    p = most_likely([(a + b, 0, 1), (n - a, 1, -1), (m - b, 1, -r)], mp.mpf(0), min(mp.mpf(1), 1 / r))
    q = r * p
    return score(mp.mpf(b) / m - r * mp.mpf(a) / n, q * (1 - q) / m + r**2 * p * (1 - p) / n)


def score(distance, variance):
    # Rates of 0 or 1 leave a variance that is zero up to the precision of the bisection.
    if abs(distance) < mp.mpf("1e-30"):
        return mp.mpf(0)
    return mp.sign(distance) * mp.inf if variance < mp.mpf("1e-36") else distance / mp.sqrt(variance)


def score_intervals(effect, k):
    (n, a), (m, b) = effect.counts
    accepts = lambda delta: abs(score_of_difference(effect.counts, delta)) <= k
    d = effect.difference
    low, high = (d if d == end else bisect(accepts, d, mp.mpf(end)) for end in (-1, 1))
    check_monotone(lambda delta: score_of_difference(effect.counts, delta), low, high)
    absolute = interval(d, low, high)
    if a == 0:
        return absolute, None
    accepts = lambda r: abs(score_of_ratio(effect.counts, r)) <= k
    estimate = mp.mpf(b) * n / (mp.mpf(a) * m)
    lowest = mp.mpf(0) if b == 0 else bisect(accepts, estimate, mp.mpf(0))
    outside = max(estimate, mp.mpf(1))
    while accepts(outside):
        outside *= 2
    highest = bisect(accepts, max(estimate, mp.mpf("1e-30")), outside)
    check_monotone(lambda r: score_of_ratio(effect.counts, r), lowest, highest)
    if 0 < a < n and 0 < b < m and k < 6:
        check_by_scipy(effect.counts, k, (low, high))
        check_by_statsmodels(effect.counts, k, (lowest, highest))
    return absolute, interval(estimate - 1, lowest - 1, highest - 1)


def check_monotone(statistic, low, high):
    """Otherwise the accepted values would not be an interval."""
    width = high - low
    values = [statistic(low + width * k / 8) for k in range(1, 8)]
    assert all(x > y for x, y in zip(values, values[1:])), values


def check_by_scipy(counts, k, bounds):
    """At the bounds of the difference, with SciPy's maximiser. (The score interval of statsmodels 0.13 has a wrong term.)"""
    (n, a), (m, b) = counts
    for delta in map(float, bounds):
        log_likelihood = lambda p: sum(special.xlogy([a, n - a, b, m - b], [p, 1 - p, p + delta, 1 - p - delta]))
        limits = (max(0, -delta), min(1, 1 - delta))
        p = optimize.minimize_scalar(lambda p: -log_likelihood(p), bounds=limits, method="bounded", options={"xatol": 1e-13}).x
        z = (b / m - a / n - delta) / math.sqrt(p * (1 - p) / n + (p + delta) * (1 - p - delta) / m)
        assert abs(abs(z) / float(k) - 1) < 1e-4, (counts, delta, z)


def check_by_statsmodels(counts, k, bounds):
    (n, a), (m, b) = counts
    theirs = sm_proportion.confint_proportions_2indep(
        b, m, a, n, method="score", compare="ratio", alpha=float(2 * normal_sf(k)), correction=False
    )
    width = float(bounds[1] - bounds[0])
    assert all(abs(float(x) - y) < 1e-6 * width for x, y in zip(bounds, theirs)), (counts, bounds, theirs)


# Fieller


def uplifts_not_rejected(d, v, base, base_variance, cov, k):
    """All u with |d - u · base| <= k · sd(d - u · base), as (low, high) with None for an open end.

    u = scale · tan(angle), so that infinity is an ordinary angle. The accepted angles are one arc around the estimate.
    """
    scale = mp.sqrt(v / base_variance) if base_variance > 0 else mp.sqrt(v) / abs(base)

    def excess(angle):
        x, y = mp.cos(angle), scale * mp.sin(angle)
        return ((d * x - base * y) ** 2 - k**2 * (v * x * x - 2 * cov * x * y + base_variance * y * y)) / (k**2 * v)

    accepts = lambda angle: excess(angle) <= 0
    estimate = mp.atan(d / base / scale)
    top = highest(excess, estimate, mp.pi)
    # Rounding decides otherwise.
    assert abs(excess(top)) > 1e-6 and abs(excess(mp.pi / 2)) > 1e-6, (excess(top), excess(mp.pi / 2))
    if accepts(top):
        return None, None
    high, low = bisect(accepts, estimate, top), bisect(accepts, estimate, top - mp.pi)
    value = lambda angle: scale * mp.tan(angle)
    if -mp.pi / 2 < low and high < mp.pi / 2:
        return value(low), value(high)
    part = (value(low), None) if high >= mp.pi / 2 else (None, value(high))
    if accepts(mp.mpf(0)) and not low <= 0 <= high:
        return None, None
    return part


def highest(f, start, period):
    """Where a wave is highest: the best of a grid, refined by comparing thirds."""
    step = period / 60
    best = max((start + k * step for k in range(61)), key=f)
    low, high = best - step, best + step
    for _ in range(60):
        third = (high - low) / 3
        if f(low + third) < f(high - third):
            low += third
        else:
            high -= third
    return (low + high) / 2


def relative_interval(d, v, base, base_variance, cov, k, cut):
    if base == 0:
        return None
    low, high = uplifts_not_rejected(d, v, base, base_variance, cov, k)
    if cut:
        low = mp.mpf(-1) if low is None else max(low, mp.mpf(-1))
    return interval(d / base, low, high)


def interval(estimate, low, high):
    return {"estimate": float(estimate), **{name: None if v is None else float(v) for name, v in (("low", low), ("high", high))}}


# Methods


def sequential_half_width(variance, n, alpha, rho):
    """The bound of the paper for the mean of n values, with n times the variance of the effect as their variance."""
    s = mp.sqrt(variance * n)
    return s * mp.sqrt(2 * (n * rho**2 + 1) / (n**2 * rho**2) * mp.log(mp.sqrt(n * rho**2 + 1) / alpha))


def sequential_rho(alpha, n_star):
    return mp.sqrt((-2 * mp.log(alpha) + mp.log(-2 * mp.log(alpha) + 1)) / n_star)


def sequential_p_value(z, n, rho):
    """The level at which the bound touches zero, by bisection over its logarithm."""
    rejects = lambda log_level: sequential_half_width(mp.mpf(1), n, mp.exp(log_level), rho) <= abs(z)
    if not rejects(mp.mpf(0)):
        return mp.mpf(1)
    return mp.exp(bisect(rejects, mp.mpf(0), mp.mpf(-5000), steps=220))


def normal_critical(alpha):
    return root(lambda z: mp.log(normal_sf(z)) - mp.log(mp.mpf(alpha) / 2), stats.norm.isf(alpha / 2))


def critical_and_p_value(settings, effect, z):
    """The critical value, and the p-value of the statistic z."""
    method, alpha = settings["method"], settings["alpha"]
    if method == "sequential":
        rho = sequential_rho(mp.mpf(alpha), mp.mpf(settings.get("sequentialN", 5000)))
        k = sequential_half_width(mp.mpf(1), effect.visitors, mp.mpf(alpha), rho)
        return k, sequential_p_value(z, effect.visitors, rho)
    if method == "group-sequential":
        fractions, spending = settings["fractions"], settings["spending"]
        # No look needs a smaller p-value than this part of alpha.
        early = mp.mpf("1e-5")
        highest = root(lambda q: mp.log(2 * normal_sf(q)) - mp.log(early * mp.mpf(alpha)), stats.norm.isf(1e-5 * alpha / 2))
        k = min(group_sequential.boundaries(fractions, alpha, spending)[-1], highest)
        p, finer = (group_sequential.p_value(fractions, spending, float(z), nodes) for nodes in (16, 24))
        assert math.isclose(p, finer, rel_tol=1e-10), (fractions, z, p, finer)
        return mp.mpf(k), min(mp.mpf(finer), 2 * normal_sf(abs(z)) / early)
    if settings["metric"] == "proportion":
        return normal_critical(alpha), 2 * normal_sf(abs(z))
    df = effect.df
    k = root(lambda t: mp.log(student_two_sided(t, df)) - mp.log(mp.mpf(alpha)), stats.t.isf(alpha / 2, float(df)))
    return k, student_two_sided(z, df)


def compare(settings, effect):
    """The expected comparison of one variation with the control."""
    method = settings["method"]
    if effect.counts is not None and method != "bayesian":
        z = score_of_difference(effect.counts, mp.mpf(0))
        k, p = critical_and_p_value(settings, effect, z)
        absolute, relative = score_intervals(effect, k)
    elif not has_spread(effect, method):
        base = effect.base
        relative = None if base == 0 else interval(effect.difference / base, None, None)
        return {**NOTHING, "absolute": interval(effect.difference, None, None), "relative": relative}
    elif method == "bayesian":
        return compare_bayesian(settings, effect)
    else:
        d, sd = effect.difference, mp.sqrt(effect.variance)
        k, p = critical_and_p_value(settings, effect, d / sd)
        absolute = interval(d, d - k * sd, d + k * sd)
        relative = relative_interval(d, effect.variance, effect.base, effect.base_variance, effect.covariance, k, effect.cut)
    check_agreement(absolute, relative, p < settings["alpha"])
    return {**NOTHING, "absolute": absolute, "relative": relative, "pValue": float(p)}


def has_spread(effect, method):
    spreads = (effect.of_control, effect.of_variation)
    if None in spreads or max(spreads) == 0:
        return False
    return min(spreads) > 0 or method == "frequentist"


def excludes_zero(bounds):
    low, high = bounds["low"], bounds["high"]
    return (low is not None and low > 0) or (high is not None and high < 0)


def check_agreement(absolute, relative, significant):
    assert excludes_zero(absolute) == significant, absolute
    assert relative is None or excludes_zero(relative) == significant, (absolute, relative)


# Bayesian


def posterior(effect, prior):
    """Means and covariance matrix of (difference, base) from prior times likelihood on a grid. With a bell curve, the
    sum over a grid is exact up to exp(-2 (pi / step)²), and the steps are half a standard deviation."""
    d, v, m, cov = effect.difference, effect.variance, effect.base, effect.covariance
    if not prior:
        return d, v, m, effect.base_variance, cov
    prior_mean, prior_sd = prior["mean"] * abs(m), prior["sd"] * abs(m)
    # Only where the grid lies and how fine it is; the values come from the densities.
    centre = (d * prior_sd**2 + prior_mean * v) / (prior_sd**2 + v)
    width = 1 / mp.sqrt(1 / v + 1 / prior_sd**2)
    rest = mp.sqrt(effect.base_variance - cov**2 / v)
    determinant = v * effect.base_variance - cov**2

    def density(x, y):
        e, f = x - d, y - m
        distance = (effect.base_variance * e * e - 2 * cov * e * f + v * f * f) / determinant
        return mp.exp(-distance / 2 - ((x - prior_mean) / prior_sd) ** 2 / 2)

    points = []
    for i in range(-26, 27):
        x = centre + width * i / 2
        points += [(x, y, density(x, y)) for y in (m + cov / v * (x - d) + rest * j / 2 for j in range(-26, 27))]
    total = mp.fsum(w for _, _, w in points)
    average = lambda f: mp.fsum(f(x, y) * w for x, y, w in points) / total
    mx, my = average(lambda x, y: x), average(lambda x, y: y)
    return (
        mx,
        average(lambda x, y: (x - mx) ** 2),
        my,
        average(lambda x, y: (y - my) ** 2),
        average(lambda x, y: (x - mx) * (y - my)),
    )


def expected_loss(d, sd):
    """Integrated over losses only, in pieces of the length scale of the density there."""
    piece = sd / max(d / sd, mp.mpf(1))
    start = (d - 30 * sd) if d < 0 else -100 * piece
    inner = [-piece * k for k in (64, 32, 16, 8, 4, 2, 1, mp.mpf("0.5"), 0)]
    middle = [d] if d < 0 else []
    pieces = sorted({start, *middle, *(d + k * sd for k in range(-14, 15, 2) if d + k * sd < 0), *inner})
    return mp.quad(lambda x: -x * normal_density((x - d) / sd) / sd, pieces)


def compare_bayesian(settings, effect):
    k = normal_critical(settings["alpha"])
    if settings.get("prior") and effect.base == 0:
        return NOTHING
    d, v, m, mv, cov = posterior(effect, settings.get("prior"))
    sd = mp.sqrt(v)
    absolute = interval(d, d - k * sd, d + k * sd)
    relative = relative_interval(d, v, m, mv, cov, k, effect.cut)
    check_agreement(absolute, relative, abs(d) > k * sd)
    return {
        "absolute": absolute,
        "relative": relative,
        "pValue": None,
        "chanceToBeat": float(normal_sf(-d / sd)),
        "expectedLoss": float(expected_loss(d, sd)),
    }

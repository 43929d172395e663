"""Boundaries and p-values of group-sequential tests, by numerical integration of the process between the looks.

The process is a Brownian motion W with W(t) = Z sqrt(t). Its density among the tests that are still running is carried
from look to look by Gauss-Legendre rules on short pieces. All terms are positive, so that even tiny probabilities keep
their digits.
"""

import math
from functools import lru_cache

import mpmath as mp
import numpy as np
from scipy import integrate, optimize, special, stats

from reference_distributions import normal_density, normal_sf, root

# Beyond this, densities underflow and nothing is spent.
FARTHEST = 37.5


def spent(spending, alpha, t):
    """The share of alpha that may be used up to the fraction t of the information."""
    alpha, t = mp.mpf(alpha), mp.mpf(t)
    if t == 0:
        return mp.mpf(0)
    if spending == "pocock":
        return alpha * mp.log(1 + (mp.e - 1) * t)
    quantile = root(lambda z: mp.log(normal_sf(z)) - mp.log(alpha / 4), stats.norm.isf(float(alpha) / 4))
    return 4 * normal_sf(quantile / mp.sqrt(t))


def steps_of(spending, alpha, fractions):
    levels = [spent(spending, alpha, t) for t in [0, *fractions]]
    return [float(high - low) for low, high in zip(levels, levels[1:])]


@lru_cache
def rule(nodes):
    return np.polynomial.legendre.leggauss(nodes)


def pieces(limit, scale, nodes):
    """Nodes and weights on [-limit, limit], in pieces not longer than `scale`."""
    x, w = rule(nodes)
    ends = np.linspace(-limit, limit, max(2, math.ceil(2 * limit / scale)) + 1)
    half = (ends[1:] - ends[:-1])[:, None] / 2
    return (ends[:-1, None] + half * (1 + x)).ravel(), (half * w).ravel()


class Process:
    """The distribution of W among the tests that are still running, look by look."""

    def __init__(self, fractions, nodes):
        self.fractions, self.nodes = [0.0, *fractions], nodes
        self.look, self.at, self.mass = 0, np.zeros(1), np.ones(1)

    def step(self):
        return self.fractions[self.look + 1] - self.fractions[self.look]

    def crossing(self, c):
        """The probability of running until the next look and being outside ±c there."""
        limit, sd = c * math.sqrt(self.fractions[self.look + 1]), math.sqrt(self.step())
        tails = special.ndtr((self.at - limit) / sd) + special.ndtr((-limit - self.at) / sd)
        return float(self.mass @ tails)

    def continue_within(self, c):
        sd, t = math.sqrt(self.step()), self.fractions[self.look + 1]
        later = self.fractions[self.look + 2] - t if self.look + 2 < len(self.fractions) else t
        y, w = pieces(min(c, FARTHEST) * math.sqrt(t), math.sqrt(min(sd**2, later)), self.nodes)
        kernel = np.exp(-(((y[:, None] - self.at) / sd) ** 2) / 2) / (sd * math.sqrt(2 * math.pi))
        self.look, self.at, self.mass = self.look + 1, y, w * (kernel @ self.mass)


def walk(fractions, alpha, spending, nodes):
    """The process before the last look, the earlier boundaries, and what the last look may spend."""
    process, found = Process(fractions, nodes), []
    steps = steps_of(spending, alpha, fractions)
    for step in steps[:-1]:
        found.append(boundary(process, step))
        process.continue_within(found[-1])
    return process, found, steps[-1]


def boundary(process, step):
    if process.crossing(FARTHEST) >= step:
        return FARTHEST
    log_excess = lambda c: math.log(process.crossing(c) / step) if process.crossing(c) > 0 else -1e3
    if log_excess(0) <= 0:
        return 0.0
    return optimize.brentq(log_excess, 0, FARTHEST, xtol=1e-15, rtol=4e-15, maxiter=300)


def boundaries(fractions, alpha, spending, nodes=16):
    process, found, step = walk(fractions, alpha, spending, nodes)
    return [*found, boundary(process, step)]


def p_value(fractions, spending, z, nodes=16):
    """The smallest alpha at which |z| reaches the boundary of the last look."""

    def excess(log_alpha):
        process, _, step = walk(fractions, math.exp(log_alpha), spending, nodes)
        return math.log(process.crossing(abs(z))) - math.log(step)

    if excess(0.0) > 0:
        return 1.0
    # From the top down to the first level that does not reach it. No lower one may reach it again.
    step = math.log(10) / 4
    high = 0.0
    while excess(high - step) <= 0:
        high -= step
    assert all(excess(high - k * step) > 0 for k in range(1, 7)), (fractions, spending, z)
    if excess(high) == 0:
        return math.exp(high)
    return math.exp(optimize.brentq(excess, high - step, high, xtol=1e-15, rtol=1e-14))


# Checks by other means


def check_two_looks(fractions, alpha, spending, found):
    """The second boundary as the solution of an integral over the first statistic, with 30 digits."""
    t1, t2 = (mp.mpf(t) for t in fractions)
    correlation = mp.sqrt(t1 / t2)
    sd, (c1, c2) = mp.sqrt(1 - correlation**2), (mp.mpf(c) for c in found)
    tails = lambda z: normal_sf((c2 - correlation * z) / sd) + normal_sf((c2 + correlation * z) / sd)
    grid = mp.linspace(-c1, c1, 41)
    first, second = 2 * normal_sf(c1), mp.quad(lambda z: normal_density(z) * tails(z), grid)
    wanted = [spent(spending, alpha, t) for t in fractions]
    for ours, theirs in [(first, wanted[0]), (second, wanted[1] - wanted[0])]:
        assert abs(ours / theirs - 1) < 1e-11, (fractions, alpha, spending, ours, theirs)


def check_by_scipy(fractions, alpha, spending, found):
    """SciPy's multivariate normal distribution (quasi-Monte Carlo) of staying inside all boundaries. It fails if looks
    follow each other closely."""
    t = np.array(fractions)
    covariance = np.sqrt(np.minimum.outer(t, t) / np.maximum.outer(t, t))
    for k in range(2, len(t) + 1):
        limits = np.array(found[:k])
        inside = stats.multivariate_normal.cdf(
            limits, cov=covariance[:k, :k], lower_limit=-limits, maxpts=2_000_000, abseps=1e-7, releps=1e-7
        )
        assert abs(1 - inside - float(spent(spending, alpha, fractions[k - 1]))) < 2e-6, (fractions, k, inside)


def check_on_dense_grid(fractions, alpha, spending, found):
    """Simpson's rule on an even grid, for all looks."""
    at, density, before = None, None, 0.0
    for c, t in zip(found, fractions):
        y, sd = np.linspace(-c, c, 2001) * math.sqrt(t), math.sqrt(t - before)
        if at is None:
            density = stats.norm.pdf(y, scale=sd)
        else:
            density = integrate.simpson(density * stats.norm.pdf(y[:, None], at, sd), x=at, axis=1)
        outside = 1 - integrate.simpson(density, x=y)
        assert abs(outside - float(spent(spending, alpha, t))) < 1e-9, (fractions, alpha, spending, t, outside)
        at, before = y, t


def check_with_more_digits(fractions, alpha, spending, found, nodes=60):
    """The whole recursion in 30 digits: one rule over each interval, on the scale of Z instead of W."""
    with mp.workdps(30):
        x, w = zip(*gauss_legendre(nodes))
        levels = [spent(spending, alpha, t) for t in [0, *fractions]]
        at, mass, before = [mp.mpf(0)], [mp.mpf(1)], mp.mpf(0)
        for c, t, low, high in zip(found, fractions, levels, levels[1:]):
            c, t = mp.mpf(c), mp.mpf(t)
            scale, sd = mp.sqrt(before / t), mp.sqrt(1 - before / t)
            crossing = mp.fsum(
                m * (normal_sf((c - scale * z) / sd) + normal_sf((c + scale * z) / sd)) for z, m in zip(at, mass)
            )
            assert abs(crossing / (high - low) - 1) < 1e-10, (fractions, alpha, spending, t, crossing, high - low)
            following = [c * node for node in x]
            mass = [
                c * weight * mp.fsum(m * normal_density((z - scale * y) / sd) / sd for y, m in zip(at, mass))
                for z, weight in zip(following, w)
            ]
            at, before = following, t


@lru_cache
def gauss_legendre(nodes):
    """Nodes and weights with all digits, from NumPy's by Newton's method."""
    result = []
    for start in rule(nodes)[0]:
        z = mp.findroot(lambda v: mp.legendre(nodes, v), mp.mpf(float(start)))
        slope = nodes * (z * mp.legendre(nodes, z) - mp.legendre(nodes - 1, z)) / (z * z - 1)
        result.append((z, 2 / ((1 - z * z) * slope**2)))
    assert abs(mp.fsum(w for _, w in result) - 2) < 1e-25
    return tuple(result)


# Cases


def equal(looks):
    return [k / looks for k in range(1, looks + 1)]


PLANS = {
    "one look at the end": [1.0],
    "one early look": [0.3],
    "2 equal looks": equal(2),
    "3 equal looks": equal(3),
    "5 equal looks": equal(5),
    "10 equal looks": equal(10),
    "28 equal looks": equal(28),
    "2 unequal looks": [0.15, 0.9],
    "4 unequal looks, not yet at the end": [0.11, 0.37, 0.405, 0.83],
    "looks that follow each other closely": [0.3, 0.302, 0.31, 0.7, 1.0],
    "a first look at 4 %": [0.04, 0.4, 1.0],
    "a first look at 0.8 %, and the next at 1.5 %": [0.008, 0.015, 0.5, 0.9],
}
KNOWN = {
    "obrien-fleming": [4.877, 3.357, 2.680, 2.290, 2.031],
    "pocock": [2.438, 2.427, 2.410, 2.397, 2.386],
}


def checked_boundaries(fractions, alpha, spending):
    found, finer = (boundaries(fractions, alpha, spending, nodes) for nodes in (16, 32))
    assert np.allclose(found, finer, rtol=2e-13, atol=0), (fractions, alpha, spending, found, finer)
    if len(fractions) == 2:
        check_two_looks(fractions, alpha, spending, finer)
    if alpha == 0.05 and len(fractions) <= 10:
        check_on_dense_grid(fractions, alpha, spending, finer)
    if alpha == 0.05 and len(fractions) in (2, 3, 4, 5) and min(np.diff(fractions)) > 0.02:
        check_by_scipy(fractions, alpha, spending, finer)
    if fractions in (equal(3), equal(5)) and alpha in (0.05, 0.001):
        check_with_more_digits(fractions, alpha, spending, finer)
    return finer


def boundary_cases():
    cases = []
    for spending in KNOWN:
        for plan, fractions in PLANS.items():
            for alpha in [0.001, 0.01, 0.05, 0.2]:
                found = checked_boundaries(fractions, alpha, spending)
                # So little alpha is spent that it underflows.
                if FARTHEST in found:
                    continue
                given = {"fractions": fractions, "alpha": alpha, "spending": spending}
                cases.append({"name": f"{spending}: {plan}, alpha {alpha}", "input": given, "expected": {"boundaries": found}})
        known = boundaries(equal(5), 0.05, spending)
        assert [round(c, 3) for c in known] == KNOWN[spending], known
    assert any(c > 8 for case in cases for c in case["expected"]["boundaries"])
    return cases


def p_value_cases():
    cases = []
    for spending in KNOWN:
        for plan in ["one look at the end", "one early look", "2 equal looks", "4 unequal looks, not yet at the end", "10 equal looks", "a first look at 4 %"]:
            fractions = PLANS[plan]
            at_alpha = boundaries(fractions, 0.05, spending)[-1]
            far = boundaries(fractions, 1e-6, spending)[-1]
            for z in [0.0, 0.05, 0.8, 1.7, -2.2, round(at_alpha - 0.001, 4), round(at_alpha + 0.001, 4), round(far, 2), -6.5]:
                p, finer = (p_value(fractions, spending, z, nodes) for nodes in (16, 32))
                assert math.isclose(p, finer, rel_tol=1e-11), (plan, spending, z, p, finer)
                assert (p <= 0.05) == (abs(z) >= at_alpha)
                if len(fractions) == 1 and fractions[0] == 1:
                    assert math.isclose(p, float(2 * normal_sf(abs(z))), rel_tol=1e-11)
                given = {"fractions": fractions, "spending": spending, "z": z}
                cases.append({"name": f"{spending}: p-value of {z}, {plan}", "input": given, "expected": {"pValue": finer}})
    return cases


def group_sequential_cases():
    return [*boundary_cases(), *p_value_cases()]

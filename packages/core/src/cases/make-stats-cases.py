#!/usr/bin/env python3
"""Generates the stats-*.json in this folder: reference values of mpmath, SciPy and statsmodels. Takes some minutes.

Debian: apt-get install python3-scipy python3-statsmodels python3-mpmath, then
/usr/bin/python3 packages/core/src/cases/make-stats-cases.py

Expectations come from the raw visitors where there are any, and from the definitions: tests inverted by bisection,
likelihoods maximised numerically, posteriors and group-sequential boundaries by integration. They never come from the
formulas that they are held against. See the reference_*.py next to this file.
"""

import json
import math
import pathlib
import sys

import mpmath as mp
import numpy as np
from scipy import optimize, stats
from statsmodels.stats import power as sm_power
from statsmodels.stats import proportion as sm_proportion
from statsmodels.stats.multitest import multipletests

# No __pycache__ among the sources.
sys.dont_write_bytecode = True

from reference_analyses import SEED, analysis_cases
from reference_distributions import distribution_cases
from reference_effects import sequential_half_width, sequential_rho
from reference_forecasts import forecast_cases
from reference_group_sequential import group_sequential_cases

HERE = pathlib.Path(__file__).parent


def write(name, about, cases):
    document = {"about": about, "cases": cases}
    lines = ",\n".join("    " + json.dumps(case) for case in cases)
    head = json.dumps({"about": about}, indent=2)[:-2]
    text = f'{head},\n  "cases": [\n{lines}\n  ]\n}}\n'
    assert json.loads(text) == document
    (HERE / name).write_text(text)
    print(f"{name}: {len(cases)} cases")


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
        # The mean of the Bayes factors of Dirichlet alternatives, by the definition of the Dirichlet-multinomial distribution.
        shares, total = [mp.mpf(w) / mp.fsum(weights) for w in weights], sum(observed)
        def factor(concentration):
            tilted = mp.fsum(mp.loggamma(concentration * q + x) - mp.loggamma(concentration * q) for q, x in zip(shares, observed))
            plain = mp.fsum(x * mp.log(q) for q, x in zip(shares, observed))
            return mp.exp(mp.loggamma(concentration) - mp.loggamma(concentration + total) + tilted - plain)
        p = min(mp.mpf(1), 6 / mp.fsum(factor(mp.mpf(10) ** k) for k in range(1, 7)))
        cases.append({"function": "sampleRatio", "args": [observed, weights], "expected": {"pValue": float(p)}})
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
    ["Distribution functions and quantiles: `function`(...`args`) is `expected`, to a relative 1e-12, or 1e-10 below 1e-100.", "Generated by make-stats-cases.py with mpmath (40 digits), and checked against SciPy."],
    distribution_cases(),
)
write(
    "stats-analyses.json",
    [
        "analyse(`input`) returns `expected`, to a relative 1e-9 (confidence sequences: 1e-6).",
        "Generated by make-stats-cases.py from individual visitors with SciPy and mpmath; `input` has their sums.",
    ],
    analysis_cases(),
)
write(
    "stats-group-sequential.json",
    [
        "Boundaries at information fractions and the p-value at the last of them, to a relative 1e-9.",
        "Generated by make-stats-cases.py by integration, and checked against mpmath (30 digits) and SciPy.",
    ],
    group_sequential_cases(),
)
write(
    "stats-tools.json",
    ["Sample ratio, multiple testing, sample size: `function`(...`args`) is `expected`.", "Generated by make-stats-cases.py with SciPy and statsmodels."],
    other_cases(),
)
write(
    "stats-forecasts.json",
    ["forecastOf(`input`) is `expected`; the information fraction of a group-sequential test is `visitors` of `plannedVisitors`.", "Generated by make-stats-cases.py by following the same random paths."],
    forecast_cases(),
)

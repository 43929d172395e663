import { proportionArm } from '../../packages/core/dist/stats/arm.js';
import { hasEnoughConversions } from '../../packages/core/dist/stats/report/health.js';
import { NO_EFFECT_YET, phaseEffect } from '../../packages/core/dist/stats/rollout/phase-effect.js';
import { binomial } from './random.js';
import { RATE } from './shop.js';

const noCounts = (guardrails) => ({ n: 0, converted: Array.from({ length: guardrails }, () => 0) });

/** Visitors and conversions inside and outside. */
class Group {
  constructor(guardrails) {
    this.inside = noCounts(guardrails);
    this.outside = noCounts(guardrails);
  }

  add(side, n, converted) {
    this[side].n += n;
    for (const [guardrail, count] of converted.entries()) this[side].converted[guardrail] += count;
  }

  effect(guardrail) {
    const [inside, outside] = [this.inside, this.outside].map(({ n, converted }) => ({
      n,
      sum: converted[guardrail],
    }));
    const group = ({ n, sum }) => ({ visitors: n, converted: sum });
    if (!hasEnoughConversions(group(outside), group(inside))) return NO_EFFECT_YET;
    return phaseEffect(proportionArm(outside), proportionArm(inside), { metric: 'proportion' });
  }
}

/** A period with one percentage. */
export class Phase {
  isComparable = true;

  /** @param change of the first guardrail, inside */
  constructor(index, percentage, change, guardrails) {
    this.index = index;
    this.percentage = percentage;
    this.change = change;
    this.guardrails = guardrails;
    this.newcomers = new Group(guardrails);
    this.everybody = new Group(guardrails);
  }

  add(side, n, converted, isNew) {
    this.everybody.add(side, n, converted);
    if (isNew) this.newcomers.add(side, n, converted);
  }

  get visitorsInside() {
    return this.everybody.inside.n;
  }

  get effects() {
    return Array.from({ length: this.guardrails }, (_, guardrail) => ({
      everybody: this.everybody.effect(guardrail),
      newcomers: this.newcomers.effect(guardrail),
    }));
  }
}

/** Each comes in one phase only. */
export function otherPeople() {
  const counted = new WeakMap();
  return (phase, visitors) => {
    const { percentage, change, guardrails } = phase;
    const before = counted.get(phase) ?? { all: 0, inside: 0 };
    const all = before.all + visitors;
    const inside = Math.floor((all * percentage) / 100);
    counted.set(phase, { all, inside });
    const came = { inside: inside - before.inside, outside: visitors - (inside - before.inside) };
    for (const [side, n] of Object.entries(came)) {
      const rateOf = (guardrail) => (side === 'inside' && guardrail === 0 ? RATE * (1 + change) : RATE);
      const converted = Array.from({ length: guardrails }, (_, guardrail) => binomial(n, rateOf(guardrail)));
      phase.add(side, n, converted, true);
    }
  };
}

/** Everybody comes on the first day of every phase, at the same look as in the others, and always does the same. */
export function samePeople(steps, looksADay) {
  const bounds = [0, ...steps, 100];
  const blocks = new Map();
  const blockAt = (at, look, visitors, guardrails) => {
    const key = `${at}/${look}`;
    const n = Math.round((visitors * (bounds[at + 1] - bounds[at])) / 100);
    if (!blocks.has(key)) blocks.set(key, persistentBlock(n, guardrails));
    return blocks.get(key);
  };
  return (phase, visitors, look) => {
    if (look >= looksADay) return;
    for (let at = 0; at < bounds.length - 1; at++) {
      const { n, converted, harmed } = blockAt(at, look, visitors, phase.guardrails);
      const isInside = at <= phase.index;
      phase.add(
        isInside ? 'inside' : 'outside',
        n,
        isInside ? harmed(phase.change) : converted,
        phase.index === 0,
      );
    }
  };
}

/** Those who stop converting under harm are the same ones in every phase. */
function persistentBlock(n, guardrails) {
  const converted = Array.from({ length: guardrails }, () => binomial(n, RATE));
  const known = new Map([[0, converted]]);
  const harmed = (change) => {
    if (!known.has(change)) known.set(change, [binomial(converted[0], 1 + change), ...converted.slice(1)]);
    return known.get(change);
  };
  return { n, converted, harmed };
}

/** Half of each. */
export function bothPeople(steps, looksADay) {
  const halves = [otherPeople(), samePeople(steps, looksADay)];
  return (phase, visitors, look) => {
    for (const come of halves) come(phase, visitors / 2, look);
  };
}

import type { AcceptedRequest, Exposure } from '../accepted-request.ts';
import type { SplitTestPhase, SplitTestQuery } from '../split-test-queries.ts';

/** The input of split test queries, in plain lists. */
export interface NaiveFacts {
  /** Without what was erased or expired. */
  requests: AcceptedRequest[];
  /** Sessions with stored events. */
  sessions: { sessionId: string; startedAt: number }[];
  /** Visitor and country of a session. */
  visitorOf(sessionId: string): string | null;
  countryOf(sessionId: string): string | null;
  /** The user that the latest of the visitor's collects with a user names. */
  userOf(visitorId: string): string | null;
}

export type Scope = SplitTestPhase & Pick<SplitTestQuery, 'by'>;

export type Seen = Omit<Exposure, 'bot'> & { receivedAt: number; seenAt: number; bot: boolean };

/** A visitor, or a user, in one phase of a test. */
export interface Visitor {
  unit: string;
  /** Null if there are several. */
  variationKey: string | null;
  firstVariationKey: string;
  moved: boolean;
  returning: boolean;
  bot: boolean;
  firstAt: number;
  /** First exposure in a later phase, or infinity. */
  leftAt: number;
  segment: string | null;
}

export function unitOf(facts: NaiveFacts, sessionId: string, unit: SplitTestQuery['unit'] = 'visitor') {
  const visitor = facts.visitorOf(sessionId);
  if (visitor === null) return `session ${sessionId}`;
  const user = unit === 'user' ? facts.userOf(visitor) : null;
  return user === null ? `visitor ${visitor}` : `user ${user}`;
}

/** All exposures to a test, since it began. */
export function exposuresTo(facts: NaiveFacts, splitTestKey: string, beganAt = 0): Seen[] {
  return facts.requests
    .flatMap((request) =>
      request.kind === 'exposures'
        ? request.exposures.map((it) => ({
            ...it,
            receivedAt: request.receivedAt,
            seenAt: Math.min(it.at, request.receivedAt),
            bot: it.bot === true,
          }))
        : [],
    )
    .filter((it) => it.splitTestKey === splitTestKey && it.at >= beganAt);
}

/** What happens after the end of a phase does not change what a visitor has seen until then. */
const isInTime = (it: Seen, { endsAt, until }: Scope) => it.seenAt < endsAt && it.receivedAt < until;

/** The counted exposures in the phase. */
export const exposuresOf = (facts: NaiveFacts, query: Scope): Seen[] =>
  exposuresTo(facts, query.splitTestKey, query.beganAt)
    .filter((it) => query.variationKeys.includes(it.variationKey) && isInTime(it, query))
    .filter((it) =>
      it.phase === undefined ? it.at >= query.from && it.at < query.to : it.phase === query.phase,
    );

function earlierExposures(facts: NaiveFacts, query: Scope): Seen[] {
  if (!query.hasEarlierPhases) return [];
  return exposuresTo(facts, query.splitTestKey, query.beganAt)
    .filter((it) => isInTime(it, query))
    .filter((it) => (it.phase === undefined ? it.at < query.from : it.phase < query.phase));
}

/** Also those received late, so that a conversion never counts in two phases. */
function laterExposures(facts: NaiveFacts, query: Scope): Seen[] {
  if (!query.hasLaterPhases) return [];
  return exposuresTo(facts, query.splitTestKey, query.beganAt).filter((it) =>
    it.phase === undefined ? it.at >= query.to : it.phase > query.phase,
  );
}

export function visitorsOf(facts: NaiveFacts, query: Scope): Visitor[] {
  const { test } = query.by ?? {};
  const elsewhere = test && visitorsOf(facts, { ...test, ...(query.unit && { unit: query.unit }) });
  const byUnit = (list: readonly Seen[]) => {
    const units = new Map<string, Seen[]>();
    for (const it of list) {
      const unit = unitOf(facts, it.sessionId, query.unit);
      units.set(unit, [...(units.get(unit) ?? []), it]);
    }
    return units;
  };
  const [earlier, later] = [earlierExposures, laterExposures].map((list) => byUnit(list(facts, query)));
  return [...byUnit(exposuresOf(facts, query))].map(([unit, own]): Visitor => {
    const shown = new Set(own.map(({ variationKey }) => variationKey));
    const before = earlier!.get(unit) ?? [];
    const isOther = ({ variationKey: key }: Seen) => query.variationKeys.includes(key) && !shown.has(key);
    return {
      unit,
      variationKey: shown.size === 1 ? ([...shown][0] as string) : null,
      firstVariationKey: firstVariationOf(own, query.variationKeys),
      moved: shown.size === 1 && before.some(isOther),
      returning: before.length > 0,
      bot: own.some(({ bot }) => bot),
      firstAt: Math.min(...own.map(({ seenAt }) => seenAt)),
      leftAt: Math.min(...(later!.get(unit) ?? []).map(({ seenAt }) => seenAt)),
      segment: elsewhere
        ? variationSeenIn(elsewhere, unit)
        : segmentOf(facts, own, query.by?.attributes ?? []),
    };
  });
}

function firstVariationOf(own: readonly Seen[], variationKeys: readonly string[]): string {
  const positionOf = ({ variationKey }: Seen) => variationKeys.indexOf(variationKey);
  return own.toSorted((a, b) => a.seenAt - b.seenAt || positionOf(a) - positionOf(b))[0]!.variationKey;
}

function variationSeenIn(visitors: readonly Visitor[], unit: string): string | null {
  const visitor = visitors.find((it) => it.unit === unit);
  return visitor && isCounted(visitor) && !visitor.bot ? visitor.variationKey : null;
}

/** The visitor is in the results. */
export const isCounted = ({ variationKey, moved }: Visitor) => variationKey !== null && !moved;

/** Whether a conversion at this time counts for the visitor. */
export const isInWindow = ({ firstAt, leftAt }: Visitor, at: number, { until }: Pick<Scope, 'until'>) =>
  at >= firstAt && at < leftAt && at < until;

function segmentOf(facts: NaiveFacts, own: readonly Seen[], attributes: readonly string[]): string | null {
  const values = attributes.map((attribute) => firstValueOf(facts, own, attribute));
  if (values.every((value) => value === null)) return null;
  return values.length === 1 ? (values[0] as string) : JSON.stringify(values);
}

/** The first known value of an attribute; of several at the same time, the smallest. */
function firstValueOf(facts: NaiveFacts, own: readonly Seen[], attribute: string): string | null {
  const known = own.flatMap((it) => {
    const value = attributeOf(facts, it, attribute);
    return value === null ? [] : [{ at: it.seenAt, value }];
  });
  return known.toSorted((a, b) => a.at - b.at || (a.value < b.value ? -1 : 1))[0]?.value ?? null;
}

/** The attribute of the exposure; for the country, falls back to its session. */
function attributeOf(facts: NaiveFacts, exposure: Seen, attribute: string): string | null {
  const own: unknown = JSON.parse(exposure.attributes ?? '{}')[attribute];
  if (own !== undefined) return String(own);
  return attribute === 'country' ? facts.countryOf(exposure.sessionId) : null;
}

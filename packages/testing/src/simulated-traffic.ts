import { HOUR_MS } from '@switchyard/core/time';
import { accepted, type Shop } from './shop.ts';

interface Options {
  visitors: number;
  /** Conversion rate by variation. */
  rates: Record<string, number>;
  /** Average dollars of a converted visitor; every fifth gets a partial refund. */
  spend: number;
}

interface Visit {
  id: string;
  variation: string;
  converts: boolean;
  cents: number;
  refund: number;
}

interface Truth {
  visitors: number;
  converted: number;
  dollars: number;
}

const BATCH = 50;

export function simulateTraffic(random: () => number, { visitors, rates, spend }: Options) {
  const keys = Object.keys(rates);
  const visits = Array.from({ length: visitors }, (_, index): Visit => {
    const variation = keys[Math.floor(random() * keys.length)]!;
    const converts = random() < rates[variation]!;
    const cents = converts && spend > 0 ? Math.round(200 * spend * random()) + 1 : 0;
    const refund = cents > 0 && random() < 0.2 ? Math.ceil(cents / 2) : 0;
    return { id: `v${index}`, variation, converts, cents, refund };
  });
  return {
    truth: truthOf(visits),
    send: (shop: Shop, ...rest: SendRest) => send(shop, visits, random, ...rest),
  };
}

type SendRest = [
  splitTestKey: string,
  order: 'in order' | 'shuffled',
  secondGoal?: { goal: string; rates: Record<string, number>; random: () => number },
];

function truthOf(visits: readonly Visit[]): Record<string, Truth> {
  const truth: Record<string, Truth> = {};
  for (const { variation, converts, cents, refund } of visits) {
    truth[variation] ??= { visitors: 0, converted: 0, dollars: 0 };
    const it = truth[variation];
    it.visitors += 1;
    it.converted += converts ? 1 : 0;
    it.dollars = Math.round(100 * it.dollars + cents - refund) / 100;
  }
  return truth;
}

/** Sends all requests of the visitors: identity, exposure in the past, conversions, refund. */
async function send(
  shop: Shop,
  visits: readonly Visit[],
  random: () => number,
  ...[splitTestKey, order, secondGoal]: SendRest
): Promise<void> {
  const start = Date.now() - 48 * HOUR_MS;
  const requests = visits.flatMap(({ id, variation, converts, cents, refund }, index) => {
    const sessionId = `${splitTestKey}-${id}`;
    const timestamp = start + index * 1000;
    const amount = (value: number) => ({ goalId: 'spent', sessionId, amount: value / 100 });
    return [
      () => shop.collect({ sessionId, visitorId: sessionId }),
      () => shop.expose({ splitTestKey, variationKey: variation, sessionId, timestamp }),
      ...(converts ? [() => shop.increment({ goalId: 'joined', sessionId })] : []),
      ...(cents > 0 ? [() => shop.increment(amount(cents))] : []),
      ...(refund > 0 ? [() => shop.decrement(amount(refund))] : []),
      ...(secondGoal && secondGoal.random() < secondGoal.rates[variation]!
        ? [() => shop.increment({ goalId: secondGoal.goal, sessionId })]
        : []),
    ];
  });
  if (order === 'shuffled') shuffle(requests, random);
  for (let at = 0; at < requests.length; at += BATCH) {
    await accepted(...requests.slice(at, at + BATCH).map((request) => request()));
  }
}

function shuffle(list: unknown[], random: () => number): void {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
}

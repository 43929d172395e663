import { AGENTS, BOTS, CHANNELS, COUNTRIES } from './audience.js';
import { Random } from './random.js';
import { DAY, HOUR } from './times.js';

/** Long enough to compare 30 days with the 30 days before. */
const VISIT_DAYS = 60;

const BOT_SHARE = 0.03;
/** Of the visitors; the others may sign up in a visit. */
const MEMBER_SHARE = 0.14;
/** Where crawlers start. */
const CRAWL = { entries: { home: 1, category: 1 } };
const RETURN_CHANCE = 0.54;
const RETURN_AFTER = 4.5 * DAY;
const MAX_VISITS = 12;

/** How busy the shop is in each hour of the visitor's day. */
const HOURS = [3, 2, 1, 1, 1, 2, 5, 9, 12, 13, 13, 14, 16, 15, 13, 13, 14, 16, 19, 22, 24, 21, 14, 7];
const BUSIEST_HOUR = Math.max(...HOURS);
/** From Sunday. */
const WEEKDAYS = [1, 0.82, 0.78, 0.78, 0.8, 0.75, 0.9];

/** A visitor with the times of all visits until now. */
export function createVisitor(seed, number, now) {
  const random = new Random(seed, number);
  const isBot = random.chance(BOT_SHARE);
  const { country, hoursAhead, language } = random.weighted(COUNTRIES);
  const visitor = {
    random,
    id: `v-${random.hex(12)}`,
    isBot,
    country,
    language,
    agent: random.weighted(isBot ? BOTS : AGENTS),
    channel: isBot ? CRAWL : random.weighted(CHANNELS),
    beta: random.chance(0.02),
    orders: 0,
  };
  if (!isBot && random.chance(MEMBER_SHARE)) becomeMember(visitor, Math.floor(random.exponential(3)));
  // Random numbers of its own, so that what visitors do does not depend on the time of the start.
  visitor.visits = visitTimes(new Random(seed + 1, number), hoursAhead, now);
  return visitor;
}

export function becomeMember(visitor, orders = 0) {
  const { random } = visitor;
  visitor.userId = `u-${random.hex(8)}`;
  visitor.plan = random.key({ free: 80, plus: 15, business: 5 });
  visitor.orders = orders;
}

/** The attributes that the page knows. */
export function attributesOf({ country, language, plan, orders, beta, userId }) {
  return { country, language, ...(userId && { plan, orders }), ...(beta && { beta }) };
}

function visitTimes(random, hoursAhead, now) {
  const isConvenient = (at) => {
    const local = new Date(at + hoursAhead * HOUR);
    return random.chance((WEEKDAYS[local.getUTCDay()] * HOURS[local.getUTCHours()]) / BUSIEST_HOUR);
  };
  const times = [firstVisit(random, now, isConvenient)];
  while (times.length < MAX_VISITS && random.chance(RETURN_CHANCE)) {
    const earliest = times.at(-1) + HOUR;
    let at = earliest + random.exponential(RETURN_AFTER);
    while (!isConvenient(at)) at += random.between(0.2, 1) * HOUR;
    if (at >= now) break;
    times.push(at);
  }
  return times;
}

/** The shop grows: twice as many new visitors at the end as at the beginning. */
function firstVisit(random, now, isConvenient) {
  for (;;) {
    const progress = random.next();
    const at = now - (1 - progress) * VISIT_DAYS * DAY;
    if (random.chance(0.5 + 0.5 * progress) && isConvenient(at)) return at;
  }
}

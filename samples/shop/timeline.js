import { FINISHED_TESTS } from './finished-tests.js';
import { flags, READING_TIME_RULE } from './flags.js';
import { drafts, POOR_RATING, SPLIT_TESTS } from './split-tests.js';
import { daysAgo } from './times.js';

const inProduction = (configuration) => ({ environments: { production: configuration } });
const inSegment = (id) => ({ operator: 'inSegment', values: [id] });

const CHECKOUT_RULES = [
  { id: 'staff', name: 'Staff', conditions: [inSegment('staff')], value: true },
  { id: 'plus', name: 'Plus members', conditions: [inSegment('plus-members')], value: true },
];
const checkoutRollout = (percentage) =>
  inProduction({
    rules: [
      ...CHECKOUT_RULES,
      { id: 'everybody', name: 'Step by step', rollout: { percentage }, value: true },
    ],
  });

/** Rolled back by itself once the server has the visits. */
const endlessJournal = (now) =>
  inProduction({
    rules: [
      {
        id: 'readers',
        name: 'Step by step',
        rollout: {
          percentage: 50,
          by: 'visitorId',
          schedule: [
            { at: daysAgo(now, -4, '08:00'), percentage: 80 },
            { at: daysAgo(now, -11, '08:00'), percentage: 100 },
          ],
          guardrails: [{ goalId: 'newsletter', maxHarm: 0.05 }],
          minVisitors: 2000,
        },
        value: true,
      },
    ],
  });

const vans = (...values) =>
  inProduction({
    rules: [
      {
        id: 'vans',
        name: 'Where our vans drive',
        conditions: [{ attribute: 'country', operator: 'in', values }],
        value: true,
      },
    ],
  });

const TEAM_CHAT = {
  name: 'Team chat',
  events: ['configuration.changed', 'verdict.changed', 'test.unhealthy', 'schedule.executed'],
};
const WAREHOUSE = {
  name: 'Data warehouse',
  url: 'https://warehouse.example/switchyard',
  events: ['goal.target_reached'],
  enabled: false,
};

/** A step of the timeline: how many days ago, when (UTC), who, what and why. */
const step = (daysAgo, time, by, method, path, body, comment) => ({
  daysAgo,
  time,
  by,
  method,
  path,
  body,
  comment,
});

const definitionOf = (key) => SPLIT_TESTS.find((test) => test.key === key).definition;
const create = (daysAgo, time, by, key, comment) =>
  // A given seed, so that every run assigns the visitors alike.
  step(daysAgo, time, by, 'PUT', `split-tests/${key}`, { ...definitionOf(key), hashSeed: key }, comment);
const transition = (daysAgo, time, by, key, name, comment, body) =>
  step(daysAgo, time, by, 'POST', `split-tests/${key}/${name}`, body, comment);
const patch = (daysAgo, time, by, path, body, comment) =>
  step(daysAgo, time, by, 'PATCH', path, body, comment);

/** Each began and ended on its days. */
const finishedTests = () =>
  FINISHED_TESTS.flatMap(({ key, by, days: [start, end], result }) => [
    create(start, '12:30', by, key),
    transition(start, '13:00', by, key, 'start'),
    transition(end, '11:45', by, key, 'stop', undefined, result),
  ]);

const FOUR_HEROES = [
  ...definitionOf('homepage-hero').variations,
  { key: 'video', value: '{"video":"workshop.mp4","headline":"Made by hand"}' },
].map((variation) => ({ ...variation, weight: 25 }));

/** The environments that were added later, and what the flags do there. */
function newEnvironments(now) {
  const others = flags(now).filter(({ environments }) => 'staging' in environments);
  return [
    step(
      28,
      '09:00',
      'owner',
      'PUT',
      'environments/staging',
      { name: 'Staging' },
      'A place to try things first',
    ),
    step(28, '09:01', 'owner', 'PUT', 'environments/development', { name: 'Development' }),
    ...others.map(({ key, environments: { production, ...added }, ...flag }) =>
      key === 'gift-cards'
        ? step(27, '14:00', 'owner', 'PUT', `flags/${key}`, {
            ...flag,
            environments: { production, ...added },
          })
        : patch(
            28,
            '09:05',
            'owner',
            `flags/${key}`,
            { environments: added },
            'On in staging, so that we see everything',
          ),
    ),
  ];
}

/** What the people of the shop changed, oldest first. @param webhookUrl where the sample's webhook is received */
export const timeline = (now, webhookUrl) => [
  patch(
    60,
    '08:10',
    'owner',
    'environments/production',
    { protected: true },
    'Changes of the live shop need a second pair of eyes',
  ),
  ...finishedTests(),
  patch(
    57,
    '07:20',
    'admin',
    'flags/reading-time',
    inProduction({ rules: [READING_TIME_RULE] }),
    'Half of the readers, measured',
  ),
  create(56, '13:20', 'editor', 'navigation-menu', 'First test with the new tool'),
  transition(55, '08:00', 'owner', 'navigation-menu', 'start'),
  transition(40, '09:15', 'editor', 'navigation-menu', 'stop', 'Two weeks are over', {
    decision: {
      outcome: 'no-difference',
      reason:
        'Both menus sell the same. We keep the nested one, because it exists. Learnt: people use search, not menus.',
    },
  }),
  patch(38, '10:00', 'editor', 'flags/new-checkout', checkoutRollout(5), 'Support is ready, start with 5 %'),
  { daysAgo: 38, time: '11:30', by: 'admin', approve: 'new-checkout' },
  create(37, '14:45', 'editor', 'signup-form'),
  transition(36, '07:30', 'editor', 'signup-form', 'start', 'Before the autumn campaign'),
  transition(33, '09:00', 'owner', 'navigation-menu', 'archive'),
  ...newEnvironments(now),
  create(28, '12:00', 'admin', 'homepage-hero'),
  transition(27, '08:30', 'admin', 'homepage-hero', 'start'),
  create(26, '15:10', 'owner', 'free-shipping-bar', 'Idea from the support team'),
  transition(25, '07:00', 'owner', 'free-shipping-bar', 'start'),
  patch(22, '09:40', 'editor', 'flags/new-checkout', checkoutRollout(20), 'No complaints at 5 %'),
  { daysAgo: 22, time: '13:05', by: 'admin', approve: 'new-checkout' },
  patch(21, '08:10', 'admin', 'flags/endless-journal', endlessJournal(now), 'Half of the readers first'),
  transition(20, '10:20', 'editor', 'signup-form', 'stop', 'Clear result', {
    winner: 'short',
    decision: {
      outcome: 'ship',
      reason:
        'Far more people finish the short form, and support requests did not rise. Learnt: nobody missed the phone number. Next: ask for the address only at the checkout.',
    },
  }),
  patch(
    19,
    '08:00',
    'admin',
    'split-tests/homepage-hero',
    { variations: FOUR_HEROES },
    'The video is ready; results start over',
  ),
  step(
    19,
    '09:30',
    'admin',
    'POST',
    'flags/reading-time/promote',
    { environment: 'production', ruleId: 'half', variant: 'off' },
    'Five weeks without a difference, and one thing less above the articles',
  ),
  create(18, '11:00', 'editor', 'express-checkout'),
  create(18, '11:20', 'editor', 'payment-order', 'Shares the checkout with express-checkout'),
  transition(17, '07:45', 'editor', 'express-checkout', 'start'),
  transition(17, '07:50', 'editor', 'payment-order', 'start'),
  create(15, '16:30', 'admin', 'search-ranking'),
  transition(14, '07:15', 'admin', 'search-ranking', 'start'),
  patch(
    12,
    '18:02',
    'owner',
    'flags/maintenance-mode',
    inProduction({ value: true }),
    'The payment provider is down',
  ),
  patch(
    12,
    '18:49',
    'owner',
    'flags/maintenance-mode',
    inProduction({ value: false }),
    'Payments work again',
  ),
  create(10, '09:05', 'admin', 'product-recommendations'),
  transition(9, '07:00', 'admin', 'product-recommendations', 'start'),
  patch(
    8,
    '09:15',
    'admin',
    'split-tests/product-recommendations',
    { guardrails: [{ ...POOR_RATING, maxHarm: 0.2 }] },
    'Too few people rate the checkout for a margin of 10 %',
  ),
  patch(8, '10:10', 'editor', 'flags/delivery-slots', vans('NL', 'BE', 'DE'), 'The first vans in Germany'),
  { daysAgo: 8, time: '10:55', by: 'admin', reject: 'delivery-slots' },
  step(7, '10:30', 'editor', 'PUT', 'split-tests/trust-badges', drafts(now)['trust-badges']),
  patch(6, '03:00', 'token', 'flags/gift-cards', { tags: ['release', 'gifts'] }, 'Release 2.41'),
  transition(6, '15:00', 'editor', 'payment-order', 'pause', 'The payment provider changes its fees'),
  step(5, '07:00', 'admin', 'PUT', 'webhooks/warehouse', WAREHOUSE, 'Until the warehouse is ready'),
  step(5, '07:10', 'admin', 'PUT', 'webhooks/team-chat', { ...TEAM_CHAT, url: webhookUrl }),
  { daysAgo: 5, time: '08:00', schedule: 'new-search' },
  step(2, '09:00', 'owner', 'PUT', 'split-tests/gift-wrap', drafts(now)['gift-wrap'], 'Starts by itself'),
  step(2, '16:00', 'owner', 'POST', 'invitations', { email: 'sam@example.com', role: 'viewer' }),
  patch(1, '09:30', 'editor', 'flags/new-checkout', checkoutRollout(50), 'Two weeks at 20 % without trouble'),
];

import { flags } from './flags.js';
import { metrics } from './metrics.js';

const GREEN = '#2e7d32';
const GREY = '#78909c';
const AMBER = '#f9a825';
const RED = '#c62828';

const goals = [
  { id: 'purchase', name: 'Purchases', kind: 'revenue', target: { value: 200_000, period: 'month' } },
  { id: 'signup', name: 'Sign-ups', kind: 'count', target: { value: 600, period: 'month' } },
  { id: 'add-to-cart', name: 'Added to cart', kind: 'count', target: { value: 500, period: 'week' } },
  {
    id: 'newsletter',
    name: 'Newsletter subscriptions',
    kind: 'count',
    target: { value: 2000, period: 'quarter' },
  },
  { id: 'support-request', name: 'Support requests', kind: 'count', lowerIsBetter: true },
];

const feedbackTypes = [
  {
    id: 'recommend',
    name: 'Would you recommend us?',
    options: [
      { value: 'promoter', label: 'Yes, gladly', color: GREEN },
      { value: 'passive', label: 'Maybe', color: GREY },
      { value: 'detractor', label: 'No', color: RED },
    ],
    textInput: true,
  },
  {
    id: 'page-rating',
    name: 'Was this page helpful?',
    options: [
      { value: 'great', label: 'Very', color: GREEN },
      { value: 'okay', label: 'A little', color: AMBER },
      { value: 'poor', label: 'Not at all', color: RED },
    ],
    textInput: true,
  },
  {
    id: 'checkout-rating',
    name: 'How was the checkout?',
    options: [
      { value: 'easy', label: 'Easy', color: GREEN },
      { value: 'slow', label: 'Too slow', color: AMBER },
      { value: 'confusing', label: 'Confusing', color: RED },
    ],
    textInput: false,
  },
  { id: 'idea', name: 'Ideas', options: [], textInput: true },
];

const is = (attribute, operator, ...values) => ({ attribute, operator, values });

const segments = [
  { id: 'staff', name: 'Staff', match: 'any', conditions: [is('email', 'endsWith', '@example.com')] },
  { id: 'plus-members', name: 'Plus members', conditions: [is('plan', 'equals', 'plus')] },
  { id: 'business', name: 'Business customers', conditions: [is('plan', 'equals', 'business')] },
  { id: 'nordics', name: 'Nordic countries', conditions: [is('country', 'in', 'SE', 'NO', 'DK', 'FI')] },
  {
    id: 'beta-testers',
    name: 'Beta testers',
    match: 'any',
    conditions: [is('beta', 'equals', true), { operator: 'inSegment', values: ['staff'] }],
  },
  { id: 'regulars', name: 'Five orders or more', conditions: [is('orders', 'greaterThanOrEqual', 5)] },
];

const isOld = ({ key }) => key !== 'gift-cards';
const onlyProduction = ({ environments: { production }, ...flag }) => ({
  ...flag,
  environments: { production },
});

/** The shop as it began, as a provision file. */
export function provisionFile(now, { publicKey, secretKey }) {
  return {
    properties: [
      {
        id: 'shop',
        name: 'Oak & Linen',
        hashSeed: 'oak-and-linen',
        displayCurrency: 'EUR',
        retentionDays: 400,
        apiKeys: [
          { kind: 'public', name: 'web shop', key: publicKey },
          { kind: 'secret', name: 'backend', key: secretKey },
        ],
        environments: [{ id: 'production', name: 'Production' }],
        goals,
        metrics,
        feedbackTypes,
        segments,
        flags: flags(now).filter(isOld).map(onlyProduction),
      },
    ],
  };
}

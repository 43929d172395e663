import { daysAgo } from './times.js';

const is = (attribute, operator, ...values) => ({ attribute, operator, values });
const inSegment = (id) => ({ operator: 'inSegment', values: [id] });
const on = (value, ...rules) => ({ enabled: true, value, rules });
const off = { enabled: false, value: false };

const boolean = { type: 'boolean', defaultValue: false };

/** As the timeline adds it, until it promotes the control. */
export const READING_TIME_RULE = {
  id: 'half',
  name: 'Half of all readers',
  rollout: { percentage: 50, by: 'visitorId' },
  value: true,
  measure: { goals: ['newsletter'] },
};

/** The flags in all environments; the timeline changes some of them. */
export const flags = (now) => [
  {
    key: 'new-checkout',
    name: 'New checkout',
    description: 'Checkout on one page. Staff first, then Plus members, then everybody step by step.',
    tags: ['checkout', 'release'],
    owner: 'jonas@example.com',
    ...boolean,
    environments: {
      production: on(
        false,
        { id: 'staff', name: 'Staff', conditions: [inSegment('staff')], value: true },
        { id: 'plus', name: 'Plus members', conditions: [inSegment('plus-members')], value: true },
      ),
      staging: on(true),
      development: on(true),
    },
  },
  {
    key: 'new-search',
    name: 'New search',
    description: 'Search with typo tolerance. The percentage rises by its schedule.',
    tags: ['search', 'release'],
    owner: 'priya@example.com',
    ...boolean,
    environments: {
      production: on(false, {
        id: 'everybody',
        name: 'Step by step',
        rollout: {
          percentage: 10,
          schedule: [
            { at: daysAgo(now, 5, '08:00'), percentage: 25 },
            { at: daysAgo(now, -3, '08:00'), percentage: 50 },
            { at: daysAgo(now, -10, '08:00'), percentage: 100 },
          ],
        },
        value: true,
      }),
      staging: on(true),
      development: on(true),
    },
  },
  {
    key: 'search-suggestions',
    name: 'Search suggestions',
    description: 'Suggestions while typing; works with the new search only.',
    tags: ['search'],
    ...boolean,
    environments: {
      production: { ...on(true), prerequisites: [{ flag: 'new-search', value: true }] },
      staging: { ...on(true), prerequisites: [{ flag: 'new-search', value: true }] },
    },
  },
  {
    key: 'product-gallery',
    name: 'Product gallery',
    description: 'How product pictures are shown.',
    tags: ['product'],
    type: 'string',
    defaultValue: 'grid',
    environments: {
      production: on(
        'grid',
        { id: 'beta', name: 'Beta testers', conditions: [inSegment('beta-testers')], value: 'zoom' },
        {
          id: 'nordics',
          name: 'Half of the Nordics',
          conditions: [inSegment('nordics')],
          rollout: { percentage: 50 },
          value: 'carousel',
        },
      ),
      staging: on('zoom'),
      development: on('zoom'),
    },
  },
  {
    key: 'delivery-slots',
    name: 'Delivery slots',
    description: 'Customers choose a two-hour slot, where our own vans deliver.',
    tags: ['checkout', 'logistics'],
    owner: 'priya@example.com',
    ...boolean,
    environments: {
      production: on(false, {
        id: 'vans',
        name: 'Where our vans drive',
        conditions: [is('country', 'in', 'NL', 'BE')],
        value: true,
      }),
      staging: on(true),
    },
  },
  {
    key: 'gift-cards',
    name: 'Gift cards',
    description: 'In development; not yet for customers.',
    tags: ['release'],
    owner: 'jonas@example.com',
    ...boolean,
    environments: { production: off, staging: on(true), development: on(true) },
  },
  {
    key: 'price-display',
    name: 'Price display',
    description: 'Business customers see prices without VAT.',
    tags: ['permanent'],
    type: 'string',
    defaultValue: 'gross',
    environments: {
      production: on('gross', {
        id: 'business',
        name: 'Business customers',
        conditions: [inSegment('business')],
        value: 'net',
      }),
      staging: on('gross'),
    },
  },
  {
    key: 'support-chat',
    name: 'Support chat',
    tags: ['support'],
    ...boolean,
    environments: {
      production: on(
        false,
        {
          id: 'members',
          name: 'Members',
          match: 'any',
          conditions: [inSegment('plus-members'), inSegment('business')],
          value: true,
        },
        {
          id: 'new-app',
          name: 'Recent versions of the app',
          conditions: [is('appVersion', 'semverGreaterThanOrEqual', '3.2.0')],
          rollout: { percentage: 40 },
          value: true,
        },
      ),
      staging: on(true),
    },
  },
  {
    key: 'recommendation-model',
    name: 'Recommendation model',
    description: 'Which model picks "You may also like".',
    tags: ['product', 'data'],
    owner: 'priya@example.com',
    type: 'string',
    defaultValue: 'popular',
    environments: {
      production: on(
        'popular',
        { id: 'regulars', name: 'Regular customers', conditions: [inSegment('regulars')], value: 'history' },
        { id: 'trial', name: 'Trial', rollout: { percentage: 15 }, value: 'similar' },
      ),
      staging: on('similar'),
      development: on('similar'),
    },
  },
  {
    key: 'search-ranking',
    name: 'Ranking of the search',
    description: 'Most customers get the present ranking; two new models get a share each.',
    tags: ['search', 'data'],
    owner: 'priya@example.com',
    type: 'string',
    defaultValue: 'relevance',
    environments: {
      production: on('relevance', {
        id: 'models',
        name: 'Three models',
        split: [
          { key: 'current', value: 'relevance', weight: 80 },
          { key: 'clicks', value: 'clicks', weight: 10 },
          { key: 'sales', value: 'sales', weight: 10 },
        ],
      }),
      staging: on('clicks'),
    },
  },
  {
    key: 'help-answers',
    name: 'Answers in the contact form',
    description:
      'Suggests articles while somebody writes to us. Half of all visitors get it, and we measure it.',
    tags: ['support'],
    owner: 'priya@example.com',
    ...boolean,
    environments: {
      production: on(false, {
        id: 'half',
        name: 'Half of all visitors',
        rollout: { percentage: 50, by: 'visitorId' },
        value: true,
        measure: { goals: ['support-request'], guardrails: ['purchase'] },
      }),
    },
  },
  {
    key: 'reading-time',
    name: 'Reading time above articles',
    description: 'Who knows how long an article takes reads to the end, where the newsletter is.',
    tags: ['journal', 'newsletter'],
    owner: 'jonas@example.com',
    ...boolean,
    environments: { production: on(false) },
  },
  {
    key: 'endless-journal',
    name: 'Endless journal',
    description:
      'The next article loads while scrolling. Half of all visitors got it, until it cost subscriptions: nobody reached the form any more.',
    tags: ['journal', 'release'],
    owner: 'jonas@example.com',
    ...boolean,
    environments: { production: on(false) },
  },
  {
    key: 'delivery-prices',
    name: 'Delivery prices',
    description: 'Fees by method, and from which amount delivery is free.',
    tags: ['permanent', 'checkout'],
    owner: 'jonas@example.com',
    type: 'string',
    format: 'json',
    schema: {
      type: 'object',
      required: ['standard', 'express', 'freeFrom'],
      additionalProperties: false,
      properties: {
        standard: { type: 'number', minimum: 0 },
        express: { type: 'number', minimum: 0 },
        freeFrom: { type: 'number', minimum: 0 },
      },
    },
    defaultValue: '{ "standard": 4.95, "express": 9.95, "freeFrom": 50 }',
    environments: {
      production: on('{ "standard": 4.95, "express": 9.95, "freeFrom": 50 }', {
        id: 'plus',
        name: 'Plus members',
        conditions: [inSegment('plus-members')],
        value: '{ "standard": 0, "express": 4.95, "freeFrom": 0 }',
      }),
      staging: on('{ "standard": 4.95, "express": 9.95, "freeFrom": 40 }'),
    },
  },
  {
    key: 'maintenance-mode',
    name: 'Maintenance mode',
    description: 'Shows a friendly page instead of the checkout when payments fail.',
    tags: ['permanent', 'operations'],
    ...boolean,
    environments: { production: on(false), staging: on(false) },
  },
  {
    key: 'spring-banner',
    name: 'Spring banner',
    description: 'The campaign is over, and everybody still gets the same value: can be removed.',
    tags: ['campaign'],
    owner: 'jonas@example.com',
    ...boolean,
    environments: { production: on(true) },
  },
  {
    key: 'legacy-cart',
    name: 'Legacy cart',
    description: 'No code asks for this flag any more.',
    tags: ['checkout'],
    ...boolean,
    environments: { production: on(false) },
  },
];

import { FINISHED_TESTS } from './finished-tests.js';
import { daysAgo } from './times.js';
import { variations } from './variations.js';

export const POOR_RATING = { feedbackType: 'page-rating', option: 'poor', lowerIsBetter: true };

/**
 * The split tests with the truth about them, which the simulation uses and no visitor knows:
 *
 * - `shownOn`: the page where visitors see it
 * - `effects`: by variation and goal, the factor on the chance of a visit to reach the goal, or on the `load-time`
 * - `lost`: by variation, the share of visitors whose exposure never arrives
 */
export const SPLIT_TESTS = [
  ...FINISHED_TESTS,
  {
    key: 'navigation-menu',
    shownOn: 'category',
    effects: {},
    definition: {
      name: 'Navigation menu',
      description: 'One flat menu instead of nested ones.',
      hypothesis: 'With fewer levels, people find products faster and add more of them.',
      tags: ['navigation'],
      owner: 'jonas@example.com',
      type: 'id',
      variations: variations(['nested'], ['flat']),
      goals: ['add-to-cart', { metric: 'product-views' }],
      plannedVisitors: 1500,
      smallestEffect: 0.3,
    },
  },
  {
    key: 'signup-form',
    shownOn: 'sign-up',
    effects: { short: { signup: 1.9 } },
    definition: {
      name: 'Sign-up form',
      description: 'Three fields instead of nine.',
      hypothesis: 'People leave the form because it is long.',
      tags: ['sign-up'],
      owner: 'jonas@example.com',
      type: 'id',
      variations: variations(['long'], ['short']),
      goals: ['signup', 'purchase'],
      guardrails: ['support-request'],
    },
  },
  {
    key: 'free-shipping-bar',
    shownOn: 'product',
    effects: { bar: { 'add-to-cart': 1.4, purchase: 1.05 } },
    definition: {
      name: 'Free shipping bar',
      description: 'A bar shows how much is missing for free shipping.',
      hypothesis: 'Knowing the distance to free shipping, people add one more item.',
      tags: ['product', 'shipping'],
      owner: 'demo@example.com',
      type: 'text',
      variations: variations(['control', ''], ['bar', 'Only {amount} until free shipping']),
      goals: ['add-to-cart', 'purchase', { metric: 'order-value' }, { metric: 'revenue-in-a-week' }],
      guardrails: ['support-request', POOR_RATING],
      onHarm: 'stop',
    },
  },
  {
    key: 'homepage-hero',
    shownOn: 'home',
    effects: {
      family: { newsletter: 1.15 },
      price: { newsletter: 0.95 },
      video: { newsletter: 0.35, 'add-to-cart': 0.9 },
    },
    definition: {
      name: 'Homepage hero',
      description: 'What the first screen of the homepage shows.',
      hypothesis: 'People subscribe when they see themselves in the picture.',
      tags: ['homepage', 'brand'],
      owner: 'priya@example.com',
      type: 'json',
      // The timeline adds the fourth variation, which opens a second phase.
      variations: variations(
        ['control', '{"image":"living-room.jpg","headline":"Furniture for life"}'],
        ['family', '{"image":"family.jpg","headline":"Room for everybody"}'],
        ['price', '{"image":"chair.jpg","headline":"Oak chairs from €89"}'],
      ),
      goals: ['newsletter', 'add-to-cart', { metric: 'came-back' }],
    },
  },
  {
    key: 'search-ranking',
    shownOn: 'search',
    effects: { semantic: { 'add-to-cart': 1.1 } },
    lost: { semantic: 0.4 },
    definition: {
      name: 'Search ranking',
      description: 'Ranks search results by meaning instead of by words.',
      hypothesis: 'Better results lead to more products in the cart.',
      tags: ['search'],
      owner: 'priya@example.com',
      type: 'id',
      variations: variations(['words'], ['semantic']),
      goals: ['add-to-cart', 'purchase', { metric: 'searches' }],
    },
  },
  {
    key: 'product-recommendations',
    shownOn: 'product',
    effects: { similar: { purchase: 1.03, 'load-time': 1.15 } },
    definition: {
      name: 'Product recommendations',
      description: '"You may also like" below the description.',
      hypothesis: 'People who do not want this product buy another one.',
      tags: ['product', 'data'],
      owner: 'priya@example.com',
      type: 'id',
      variations: variations(['none'], ['similar']),
      goals: ['purchase', 'add-to-cart', { metric: 'load-time' }],
      guardrails: [POOR_RATING],
      plannedVisitors: 30_000,
      smallestEffect: 0.1,
    },
  },
  {
    key: 'express-checkout',
    shownOn: 'checkout',
    effects: { express: { purchase: 1.06 } },
    definition: {
      name: 'Express checkout',
      description: 'Wallet buttons above the address form.',
      tags: ['checkout'],
      owner: 'jonas@example.com',
      type: 'id',
      exclusion: { group: 'checkout', share: 60 },
      variations: variations(['control'], ['express']),
      goals: ['purchase', { feedbackType: 'checkout-rating', option: 'easy' }, { metric: 'checkout-funnel' }],
    },
  },
  {
    key: 'payment-order',
    shownOn: 'checkout',
    effects: { 'invoice-first': { purchase: 0.98 } },
    definition: {
      name: 'Order of payment methods',
      description: 'Invoice first instead of cards first, where invoices are usual.',
      audience: { conditions: [{ attribute: 'language', operator: 'in', values: ['de', 'nl'] }] },
      tags: ['checkout', 'payment'],
      type: 'id',
      exclusion: { group: 'checkout', share: 40 },
      variations: variations(['cards-first'], ['invoice-first']),
      goals: ['purchase', { metric: 'saw-checkout' }],
    },
  },
];

/** Tests that have not started. */
export const drafts = (now) => ({
  'trust-badges': {
    name: 'Trust badges',
    description: 'Seals of the payment providers below the cart.',
    hypothesis: 'New customers hesitate to pay in a shop that they do not know.',
    tags: ['checkout'],
    owner: 'jonas@example.com',
    type: 'id',
    trafficAllocation: 50,
    variations: variations(['control'], ['badges']),
    goals: ['purchase'],
  },
  'gift-wrap': {
    name: 'Gift wrap',
    description: 'Offers gift wrapping in the cart during the season.',
    hypothesis: 'Gift wrap makes a small order worth it.',
    tags: ['cart', 'campaign'],
    owner: 'demo@example.com',
    type: 'text',
    variations: variations(['control', ''], ['offer', 'Wrap it for €3?']),
    goals: ['purchase'],
    guardrails: ['support-request'],
    startAt: daysAgo(now, -4, '06:00'),
    stopAt: daysAgo(now, -32, '06:00'),
  },
});

import { variations } from './variations.js';

/**
 * Tests of the first weeks that have been decided since, so that the library has a record; as in `split-tests.js`. They
 * have their own days: when they began and ended.
 */
export const FINISHED_TESTS = [
  {
    key: 'lifestyle-photos',
    shownOn: 'product',
    effects: { lifestyle: { 'add-to-cart': 1.5 } },
    days: [59, 44],
    by: 'admin',
    result: {
      winner: 'lifestyle',
      decision: {
        outcome: 'ship',
        reason:
          'More products in the cart. Learnt: people want to see how large a table is. Next: photos with people.',
      },
    },
    definition: {
      name: 'Photos in a living room',
      description: 'Furniture in a room instead of in front of a white wall.',
      hypothesis: 'In a room, people can imagine the furniture at home.',
      tags: ['product', 'photos'],
      owner: 'priya@example.com',
      type: 'id',
      variations: variations(['white'], ['lifestyle']),
      goals: ['add-to-cart'],
    },
  },
  {
    key: 'journal-signup',
    shownOn: 'journal',
    effects: { end: { newsletter: 2.4 } },
    days: [58, 40],
    by: 'editor',
    result: {
      winner: 'end',
      decision: { outcome: 'ship', reason: 'Who has read to the end subscribes. Nobody missed the pop-up.' },
    },
    definition: {
      name: 'Newsletter form at the end of articles',
      hypothesis: 'Asked after reading instead of before, more people subscribe.',
      tags: ['journal', 'newsletter'],
      owner: 'jonas@example.com',
      type: 'id',
      variations: variations(['pop-up'], ['end']),
      goals: ['newsletter'],
    },
  },
  {
    key: 'category-teasers',
    shownOn: 'category',
    effects: { teasers: { 'add-to-cart': 0.5 } },
    days: [54, 39],
    by: 'admin',
    result: {
      winner: 'plain',
      decision: {
        outcome: 'roll-back',
        reason: 'The teasers pushed the products down, below the fold on phones.',
      },
    },
    definition: {
      name: 'Teasers above the products',
      hypothesis: 'Teasers of the season lead people to what is new.',
      tags: ['navigation', 'campaign'],
      owner: 'priya@example.com',
      type: 'id',
      variations: variations(['plain'], ['teasers']),
      goals: ['add-to-cart'],
    },
  },
  {
    key: 'cart-summary',
    shownOn: 'cart',
    effects: {},
    days: [52, 31],
    by: 'editor',
    result: {
      decision: {
        outcome: 'no-difference',
        reason: 'Three weeks without a difference. We keep the smaller one.',
      },
    },
    definition: {
      name: 'Summary in the cart',
      hypothesis: 'Seeing all costs early, fewer people leave at the checkout.',
      tags: ['cart'],
      owner: 'jonas@example.com',
      type: 'id',
      variations: variations(['total'], ['all-costs']),
      goals: ['purchase'],
    },
  },
  {
    key: 'search-box',
    shownOn: 'search',
    effects: { large: { 'add-to-cart': 1.05 } },
    days: [49, 29],
    by: 'owner',
    result: {
      decision: { outcome: 'other', reason: 'The new search replaces the page. Ask again afterwards.' },
    },
    definition: {
      name: 'Larger search box',
      hypothesis: 'People with a product in mind find it faster.',
      tags: ['search'],
      owner: 'demo@example.com',
      type: 'id',
      variations: variations(['small'], ['large']),
      goals: ['add-to-cart'],
    },
  },
  {
    key: 'delivery-promise',
    shownOn: 'delivery',
    effects: { date: { 'add-to-cart': 1.1 } },
    days: [46, 26],
    by: 'admin',
    result: {},
    definition: {
      name: 'Delivery date instead of days',
      hypothesis: 'A date is easier to plan with than "3 to 5 days".',
      tags: ['shipping'],
      owner: 'priya@example.com',
      type: 'id',
      variations: variations(['days'], ['date']),
      goals: ['add-to-cart'],
    },
  },
];

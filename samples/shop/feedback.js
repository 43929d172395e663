/** Options with weights by feedback type, and messages by option. */
const ANSWERS = {
  recommend: { promoter: 56, passive: 28, detractor: 16 },
  'page-rating': { great: 58, okay: 27, poor: 15 },
  'checkout-rating': { easy: 64, slow: 21, confusing: 15 },
};

const MESSAGES = {
  promoter: [
    'The table is even nicer than in the pictures.',
    'Fast delivery, friendly people. I told my sister about you.',
    'Third order, third time happy.',
    'Finally furniture that is made to last.',
    'The linen gets softer with every wash!',
  ],
  passive: [
    'Good quality, but delivery took two weeks.',
    'Nice things. A bit expensive.',
    'I would like more colors.',
    'Fine so far, ask me again in a year.',
  ],
  detractor: [
    'A chair arrived with a scratch, and nobody answered my mail for five days.',
    'Shipping costs showed up only at the very end.',
    'I could not pay with my card.',
    'The return label did not work.',
  ],
  great: ['Exactly what I wanted to know.', 'The measurements helped a lot.', 'Lovely pictures!'],
  okay: [
    'How deep is the drawer? I could not find it.',
    'Please show the table with chairs.',
    'Is it available in walnut?',
  ],
  poor: [
    'The page jumps around on my phone.',
    'I still do not know when it arrives.',
    'The pictures do not load.',
    'Filters reset when I go back 😕',
    'What does "made to order" mean for delivery?',
  ],
  idea: [
    'Please offer gift wrapping.',
    'A wish list that I can share would be great.',
    'Could you take back old furniture?',
    'Sell samples of the fabrics.',
    'Let me choose the day of delivery.',
    'A dark mode for the shop, please.',
    'Show the carbon footprint of each product.',
    'Care instructions as a PDF would help.',
  ],
};

const MESSAGE_CHANCE = { recommend: 0.45, 'page-rating': 0.4, 'checkout-rating': 0 };

/** An answer of a visitor. @param factor of an option: what split tests do to its weight */
export function answer(random, feedbackTypeId, factor = () => 1) {
  if (feedbackTypeId === 'idea') return { feedbackTypeId, message: random.pick(MESSAGES.idea) };
  const weights = Object.entries(ANSWERS[feedbackTypeId]).map(([key, weight]) => [key, weight * factor(key)]);
  const option = random.key(Object.fromEntries(weights));
  const message = random.chance(MESSAGE_CHANCE[feedbackTypeId]) ? random.pick(MESSAGES[option]) : undefined;
  return { feedbackTypeId, option, message };
}

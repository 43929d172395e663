// What visitors see.

export const ORIGIN = 'https://oakandlinen.example';

/** Name, category, price in euros. */
const PRODUCTS = [
  ['Oak dining table', 'tables', 649],
  ['Walnut side table', 'tables', 189],
  ['Folding desk', 'tables', 259],
  ['Windsor chair', 'chairs', 139],
  ['Rocking chair', 'chairs', 289],
  ['Bar stool', 'chairs', 89],
  ['Linen bedding set', 'textiles', 129],
  ['Wool throw', 'textiles', 79],
  ['Cotton curtains', 'textiles', 59],
  ['Linen napkins', 'textiles', 24],
  ['Paper lamp', 'lighting', 49],
  ['Brass reading lamp', 'lighting', 119],
  ['Stoneware mugs', 'kitchen', 36],
  ['Cutting board', 'kitchen', 29],
  ['Cast iron pan', 'kitchen', 69],
  ['Beeswax candles', 'kitchen', 18],
].map(([name, category, price]) => ({ name, category, price, path: `/products/${slug(name)}` }));

const CATEGORIES = ['tables', 'chairs', 'textiles', 'lighting', 'kitchen'];
const SEARCHES = ['oak table', 'linen', 'lamp', 'bar stol', 'mug', 'bed sheets', 'desk', 'gift', 'curtain'];
const ARTICLES = ['Caring for oak', 'A small kitchen that works', 'How we weave', 'Five lamps for reading'];

function slug(name) {
  return name.toLowerCase().replaceAll(' ', '-');
}

const fixed = (path, title) => () => ({ path, title });

/** Path and title of a page by its kind; a product page also has its product. */
export const PAGES = {
  home: fixed('/', 'Oak & Linen'),
  category: (random) => {
    const category = random.pick(CATEGORIES);
    return { path: `/${category}`, title: category[0].toUpperCase() + category.slice(1) };
  },
  // The first products are the most popular.
  product: (random) => {
    const product = PRODUCTS[Math.floor(random.next() ** 1.6 * PRODUCTS.length)];
    return { path: product.path, title: product.name, product };
  },
  search: (random) => {
    const query = random.pick(SEARCHES);
    return { path: `/search?q=${encodeURIComponent(query)}`, title: 'Search', query };
  },
  journal: (random) => {
    const title = random.pick(ARTICLES);
    return { path: `/journal/${slug(title)}`, title };
  },
  delivery: fixed('/help/delivery', 'Delivery and returns'),
  contact: fixed('/help/contact', 'Contact us'),
  'sign-up': fixed('/sign-up', 'Create an account'),
  account: fixed('/account', 'Your account'),
  cart: fixed('/cart', 'Cart'),
  checkout: fixed('/checkout', 'Checkout'),
  thanks: fixed('/checkout/thanks', 'Thank you'),
};

/** Where visitors go next, by weight. Buying and signing up are decided elsewhere. */
export const NEXT_PAGES = {
  home: { category: 32, product: 20, search: 18, 'sign-up': 15, journal: 5, leave: 10 },
  category: { product: 60, category: 11, search: 10, leave: 19 },
  search: { product: 58, search: 14, leave: 28 },
  product: { product: 27, category: 15, delivery: 6, search: 5, 'sign-up': 3, leave: 44 },
  journal: { product: 20, journal: 14, home: 14, leave: 52 },
  delivery: { product: 40, contact: 14, leave: 46 },
  contact: { home: 20, leave: 80 },
  'sign-up': { home: 20, product: 35, leave: 45 },
  account: { home: 30, product: 30, leave: 40 },
  cart: { product: 35, leave: 65 },
  checkout: { cart: 20, delivery: 10, leave: 70 },
  thanks: { account: 12, leave: 88 },
};

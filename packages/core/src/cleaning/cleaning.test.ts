import { expect, test } from 'vitest';
import { DEFAULT_PRIVACY } from '../api/privacy.ts';
import { cleanUrl } from './clean-url.ts';
import { createCleaner } from './create-cleaner.ts';
import { maskText } from './mask-text.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';

test.each([
  ['https://shop.example/', 'https://shop.example/'],
  ['https://shop.example/?token=abc&email=ada%40shop.example', 'https://shop.example/'],
  [
    'https://shop.example/a?utm_source=news&x=1&UTM_Medium=mail',
    'https://shop.example/a?utm_source=news&UTM_Medium=mail',
  ],
  ['https://shop.example/?q=1&sy_hero=b&xsy_hero=c', 'https://shop.example/?sy_hero=b'],
  ['/relative?ref=home;token=1&source=app#top', '/relative?ref=home&source=app#top'],
  ['https://shop.example/?gclid=Cj0KCQ&fbclid=IwAR0', 'https://shop.example/?gclid=1&fbclid=1'],
  ['https://shop.example/?q=shoes&page=2', 'https://shop.example/?page=2'],
  ['https://shop.example/?page&page=3&xpage=4', 'https://shop.example/?page&page=3'],
  [
    'https://shop.example/?ref=https%3A%2F%2Fa.example%2F%3Ftoken%3D1',
    'https://shop.example/?ref=https%3A%2F%2Fa.example%2F',
  ],
  ['https://shop.example/?ref=https://a.example/?token=1', 'https://shop.example/?ref=https://a.example/'],
  ['https://app.example/#access_token=abc&state=1', 'https://app.example/'],
  ['https://app.example/#/orders?token=abc&page=2', 'https://app.example/#/orders?page=2'],
  ['https://app.example/#/orders?token=abc', 'https://app.example/#/orders'],
  ['https://ada:secret@shop.example/a', 'https://shop.example/a'],
  ['https://shop.example/cart;jsessionid=1A2B/x;v', 'https://shop.example/cart/x;v'],
  ['', ''],
])('%s is recorded as %s', (url, expected) => {
  expect(cleanUrl(url, ['page'])).toBe(expected);
});

test.each([
  ['Inbox of ada.lovelace+1@mail.shop.example – Mail', 'Inbox of [email] – Mail'],
  ['/u/jörg@shop.example/', '/u/[email]/'],
  ['/u/ada%40shop.example', '/u/[email]'],
  ['/u/ada%2540shop.example', '/u/[email]'],
  [`/reset/${JWT}`, '/reset/[token]'],
  ['/reset/d41d8cd98f00b204e9800998ecf8427e', '/reset/[token]'],
  ['/invite/Xk2p9QvLr7TzB4mNcW8sJd1H', '/invite/[token]'],
  ['key sk_live_51H8kQ2eZvKYlo2C9aBcD7fGh', 'key [token]'],
  ['Card 4111 1111 1111 1111 was declined', 'Card [card] was declined'],
  ['/pay/5555555555554444', '/pay/[card]'],
  ['/pay/3782-822463-10005', '/pay/[card]'],
])('%s is masked as %s', (text, expected) => {
  expect(maskText(text)).toBe(expected);
});

test.each([
  '/@ada/how-to-build-a-House-in-2024-with-Wood-and-Nails',
  '/orders/3f2504e0-4f89-11d3-9a0c-0305e82c3301',
  '/buy/apple-iPhone15ProMax-256GB-black-titanium',
  '/archive/1700000000000/1700000000000000',
  '/events/20240115103000',
  '/zh/%E4%B8%AD%E6%96%87%E4%B8%AD%E6%96%87%E4%B8%AD%E6%96%87',
  'Price: 4111 1111 1111 1112',
  'Donaudampfschifffahrtsgesellschaftskapitaen',
])('%s stays as it is', (text) => {
  expect(maskText(text)).toBe(text);
});

test('strings inside of objects are cleaned, and their names are not', () => {
  const { json } = createCleaner(DEFAULT_PRIVACY);
  const object = {
    'ada@shop.example': 1,
    list: ['ada@shop.example', { href: 'https://shop.example/?token=1' }],
    number: 4111111111111111,
    size: 12.5,
    none: null,
  };
  expect(JSON.parse(json(object))).toEqual({
    'ada@shop.example': 1,
    list: ['[email]', { href: 'https://shop.example/' }],
    number: '[card]',
    size: 12.5,
    none: null,
  });
});

test('host names are not masked', () => {
  const { url } = createCleaner(DEFAULT_PRIVACY);
  const host = 'https://d41d8cd98f00b204e9800998ecf8427e.cdn.example';
  expect(url(`${host}/ada@shop.example`)).toBe(`${host}/[email]`);
});

test('without masking, only parameters are removed', () => {
  const cleaner = createCleaner({ ...DEFAULT_PRIVACY, maskValues: false });
  expect(cleaner.url('/u/ada@shop.example?token=1')).toBe('/u/ada@shop.example');
  expect(cleaner.text('ada@shop.example')).toBe('ada@shop.example');
});

test('the preset keeps the origin of a referrer', () => {
  const cleaner = createCleaner({ ...DEFAULT_PRIVACY, preset: 'cnil' });
  expect(cleaner.referrer('https://search.example/?q=shoes')).toBe('https://search.example/');
  expect(cleaner.referrer('nonsense')).toBe('');
  expect(cleaner.url('https://shop.example/a')).toBe('https://shop.example/a');
});

/** Texts that take a pattern with backtracking quadratic time. */
const HOSTILE = [
  'a',
  'a@',
  '@',
  'a%40',
  '%25',
  '1',
  '1 ',
  '4111 ',
  'eyJ.',
  '.',
  ';',
  ';a=',
  '?',
  '#',
  '&',
  'aA1',
  '%20',
  '//',
  'a.',
];

test.each(HOSTILE)(
  'takes linear time for many times %j',
  (part) => {
    const { url, text } = createCleaner(DEFAULT_PRIVACY);
    // Linear time is a fraction of a second, quadratic time minutes.
    const long = part.repeat(Math.ceil(300_000 / part.length));
    url(`https://shop.example/${long}`);
    text(`x@${long}!`);
  },
  30_000,
);

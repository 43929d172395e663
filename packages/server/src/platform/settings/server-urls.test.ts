import { expect, test } from 'vitest';
import { serverUrls } from './server-urls.ts';

test.each([
  ['postgres://u:p@db:5432/shop', ['postgres://u:p@db:5432/shop']],
  ['postgresql://db/shop', ['postgresql://db/shop']],
  [
    'postgres://u:p%40x@a:5432,[::1]:5433,c/shop?sslmode=require',
    [
      'postgres://u:p%40x@a:5432/shop?sslmode=require',
      'postgres://u:p%40x@[::1]:5433/shop?sslmode=require',
      'postgres://u:p%40x@c/shop?sslmode=require',
    ],
  ],
  ['postgres:///shop?host=/run/postgresql', ['postgres:///shop?host=/run/postgresql']],
  [
    'postgres://a,b/shop?target_session_attrs=read-write',
    [
      'postgres://a/shop?target_session_attrs=read-write',
      'postgres://b/shop?target_session_attrs=read-write',
    ],
  ],
])('%s names servers', (text, urls) => {
  expect(serverUrls(text)).toEqual(urls);
});

test.each([
  'shop',
  'mysql://db/shop',
  'postgres://db:99999/shop',
  'postgres://a:1,b:x/shop',
  'postgres://a,b/shop?target_session_attrs=standby',
  'postgres://a/shop?sslmode=verify_full',
])('%s is refused', (text) => {
  expect(serverUrls(text)).toBeUndefined();
});

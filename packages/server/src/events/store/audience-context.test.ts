import { describe, expect, it } from 'vitest';
import { visitPartsFor, withEntry, withStart } from './audience-context.ts';

const entry = (entryUrl: string | null, referrer: string | null = null) =>
  withEntry({}, { entryUrl, referrer });

describe('attributes that pages know by themselves', () => {
  it('are read only if they are used', () => {
    expect(visitPartsFor(['plan', 'querying', 'utmost', 'paths', 'device', 'language', 'userAgent'])).toEqual(
      [],
    );
    expect(visitPartsFor(['path'])).toEqual(['entry']);
    expect(visitPartsFor(['utm.source', 'query.color', 'referrer'])).toEqual(['entry']);
    expect(visitPartsFor(['returning', 'hour', 'plan'])).toEqual(['start', 'returning']);
  });

  it('come from the first page of the session', () => {
    const url = 'https://shop.example/a%20b/c?utm_source=news&color=red+blue&color=green&utm_id=7#top';
    expect(entry(url, 'https://search.example/results?q=shoes')).toEqual({
      path: '/a%20b/c',
      referrer: 'https://search.example/results',
      'query.utm_source': 'news',
      'query.utm_id': '7',
      'query.color': 'red blue',
      'utm.source': 'news',
      'utm.id': '7',
    });
    expect(entry('/relative?x')).toEqual({ path: '/relative', 'query.x': '' });
    expect(entry(null)).toEqual({});
    expect(entry('http://[broken')).toEqual({});
  });

  it('are unknown where something was masked', () => {
    expect(entry('/u/[email]/x?utm_source=[token]&ref=home', 'https://a.example/[token]')).toEqual({
      'query.ref': 'home',
    });
  });

  it('tell the hour by the clocks of the property, and whether the visitor was there before', () => {
    const startedAt = Date.UTC(2026, 6, 1, 22, 30);
    expect(withStart({}, { startedAt, returning: false }, 'UTC')).toEqual({ hour: 22, returning: false });
    expect(withStart({}, { startedAt }, 'Europe/Berlin')).toEqual({ hour: 0 });
    expect(withStart({}, { startedAt }, 'Asia/Kolkata')).toEqual({ hour: 4 });
  });

  it('do not replace those that the page has set', () => {
    const own = { path: '/own', 'utm.source': 'own', hour: 3, returning: true, plan: 'pro' };
    const context = withStart(
      withEntry(own, { entryUrl: '/first?utm_source=x', referrer: null }),
      { startedAt: 0, returning: false },
      'UTC',
    );
    expect(context).toEqual({ ...own, 'query.utm_source': 'x' });
  });

  it('have the device and the browser of a user agent', () => {
    const userAgent =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';
    expect(withEntry({ userAgent })).toEqual({ userAgent, device: 'mobile', browser: 'Safari' });
    expect(withEntry({ userAgent, device: 'tv' })).toMatchObject({ device: 'tv' });
    expect(withEntry({ userAgent: 'curl/8' })).toEqual({ userAgent: 'curl/8' });
  });
});

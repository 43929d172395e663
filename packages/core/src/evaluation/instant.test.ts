import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseInstant } from './instant.ts';

const SEED = 1729;

describe(`instants (seed ${SEED})`, () => {
  const zone = process.env.TZ;
  // Far from UTC, to detect times that are parsed as local.
  beforeAll(() => {
    process.env.TZ = 'Asia/Kolkata';
  });
  afterAll(() => {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  const milliseconds = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });

  it('parses the output of Date, with a zone, without one and as milliseconds', () => {
    fc.assert(
      fc.property(milliseconds, (date) => {
        const iso = date.toISOString();
        for (const text of [iso, iso.slice(0, -1), String(date.getTime()), iso.replace('Z', '-00:00')]) {
          expect(parseInstant(text)).toBe(date.getTime());
        }
        expect(parseInstant(iso.slice(0, 10))).toBe(Math.floor(date.getTime() / 86_400_000) * 86_400_000);
      }),
      { seed: SEED },
    );
  });

  it('knows the days of every month', () => {
    for (const year of [1900, 2000, 2023, 2024]) {
      for (let month = 1; month <= 12; month++) {
        const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
        const prefix = `${year}-${String(month).padStart(2, '0')}-`;
        expect(parseInstant(`${prefix}${days}`)).toBe(Date.UTC(year, month - 1, days));
        expect(parseInstant(`${prefix}${days + 1}`)).toBeUndefined();
        expect(parseInstant(`${prefix}00`)).toBeUndefined();
      }
    }
  });

  it.each([
    '',
    'now',
    '2024-1-1',
    '2024-01',
    ['2024-01-01'],
    '2024-00-01',
    '2024-13-01',
    '2024-01-01T',
    '2024-01-01T10',
    '2024-01-01T10:00:60Z',
    '2024-01-01T10:00:00+24:00',
    '2024-01-01T10:00:00+0100',
    '2024-01-01z',
    '+002024-01-01',
    ' 2024-01-01',
    null,
    true,
    {},
    [],
    Number.NaN,
    Number.POSITIVE_INFINITY,
  ])('rejects %j', (value) => expect(parseInstant(value)).toBeUndefined());
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from './time.ts';
import { isTimeZone, timeZone } from './time-zone.ts';

const berlin = timeZone('Europe/Berlin');
const at = (text: string) => Date.parse(text);

describe('a time zone', () => {
  test('is known by its name in the IANA database', () => {
    for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5']) {
      expect(isTimeZone(name), name).toBe(true);
    }
    for (const name of ['', 'Berlin', '+01:00', 'Europe/Berlin ', 'Mars/Olympus']) {
      expect(isTimeZone(name), name).toBe(false);
    }
    expect(timeZone('Mars/Olympus').name).toBe('UTC');
  });

  test('has days of 23 and 25 hours when clocks change', () => {
    const spring = at('2026-03-29T12:00+02:00');
    expect(berlin.startOf('day', spring)).toBe(at('2026-03-29T00:00+01:00'));
    expect(berlin.endOf('day', spring)).toBe(at('2026-03-30T00:00+02:00'));
    const autumn = at('2026-10-25T12:00+01:00');
    expect(berlin.endOf('day', autumn) - berlin.startOf('day', autumn)).toBe(25 * HOUR_MS);
    expect(berlin.starts('hour', berlin.startOf('day', autumn), berlin.endOf('day', autumn))).toHaveLength(
      25,
    );
    expect(berlin.startOf('week', autumn)).toBe(at('2026-10-19T00:00+02:00'));
    expect(berlin.startOf('month', autumn)).toBe(at('2026-10-01T00:00+02:00'));
    expect(berlin.startOf('quarter', autumn)).toBe(at('2026-10-01T00:00+02:00'));
    expect(berlin.endOf('quarter', autumn)).toBe(at('2027-01-01T00:00+01:00'));
  });

  test('keeps what the clock shows when days are added', () => {
    expect(berlin.addDays(at('2026-03-29T10:00+02:00'), -1)).toBe(at('2026-03-28T10:00+01:00'));
    // 02:30 does not exist on that day.
    expect(berlin.addDays(at('2026-03-28T02:30+01:00'), 1)).toBe(at('2026-03-29T03:00+02:00'));
  });

  test('starts a day at its first moment, where midnight is left out or comes twice', () => {
    const beirut = timeZone('Asia/Beirut');
    expect(beirut.startOf('day', at('2025-03-30T12:00+03:00'))).toBe(at('2025-03-30T01:00+03:00'));
    const havana = timeZone('America/Havana');
    const twice = at('2025-11-02T12:00-05:00');
    expect(havana.endOf('day', twice) - havana.startOf('day', twice)).toBe(25 * HOUR_MS);
    // Clocks showed 00:01, then 23:01 of the day before.
    const johns = timeZone('America/St_Johns');
    const again = at('2010-11-06T23:30-03:30');
    expect(johns.startOf('day', again)).toBe(at('2010-11-07T00:00-02:30'));
  });

  test('ends an hour when clocks change by half an hour', () => {
    const island = timeZone('Australia/Lord_Howe');
    const change = at('2026-04-04T15:00Z');
    expect(island.starts('hour', change - HOUR_MS, change + HOUR_MS)).toEqual([
      change - HOUR_MS,
      change,
      change + HOUR_MS / 2,
    ]);
  });

  test('shows what clocks show, also where they change twice within weeks', () => {
    const spelled = new Intl.DateTimeFormat('sv-SE', {
      timeZone: 'Africa/Casablanca',
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    const casablanca = timeZone('Africa/Casablanca');
    // Clocks go back for the month of Ramadan.
    for (let time = at('2012-01-01T00:00Z'); time < at('2037-12-31T00:00Z'); time += 10 * DAY_MS) {
      const shown = new Date(casablanca.local(time)).toISOString();
      expect(shown.slice(0, 19).replace('T', ' ')).toBe(spelled.format(time));
    }
  });

  test('has contiguous units, and rules for SQL that say the same', () => {
    const seed = 20_261_118;
    console.info(`time zones: seed ${seed}`);
    const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns', 'Africa/Casablanca'];
    zones.push('Asia/Kathmandu', 'America/Havana', 'Asia/Beirut', 'Pacific/Apia', 'America/Sao_Paulo');
    const time = fc.integer({ min: 0, max: at('2037-12-31T00:00Z') });
    const unit = fc.constantFrom('hour', 'day', 'week' as const);
    const days = fc.integer({ min: 0, max: 500 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), unit, time, days, time, (name, each, from, length, random) => {
        const zone = timeZone(name);
        const to = from + (each === 'hour' ? length / 10 : length) * DAY_MS + 1;
        const starts = zone.starts(each, from, to);
        for (const [index, start] of starts.entries()) {
          if (index > 0) expect(zone.startOf(each, start - 1)).toBe(starts[index - 1]);
          expect(zone.startOf(each, start)).toBe(start);
        }
        const inside = from + (random % (to - from));
        const bucket = starts.findLast((start) => start <= inside);
        expect(zone.startOf(each, inside)).toBe(bucket);
        const span = zone.bucketSpans(each, from, to).find((it) => inside < it.to)!;
        expect('start' in span ? span.start : aligned(inside, each, span.offset)).toBe(bucket);
      }),
      { seed, numRuns: 100 },
    );
  });
});

/** What an engine computes. */
function aligned(time: number, unit: 'hour' | 'day' | 'week', offset: number): number {
  const length = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }[unit];
  const local = time + offset - (unit === 'week' ? 4 * DAY_MS : 0);
  return time - (((local % length) + length) % length);
}

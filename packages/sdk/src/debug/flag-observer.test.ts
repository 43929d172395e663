import { expect, it } from 'vitest';
import type { ClientState } from './client-state.ts';
import { FlagObserver } from './flag-observer.ts';

const LONG = `{"text":"${'x'.repeat(300)}"}`;
const FLAGS = {
  price: { value: '12.50', type: 'string', format: 'number', reason: 'STATIC' },
  pricing: { value: '{"plans": 2}', type: 'string', format: 'json', reason: 'SPLIT', variant: 'small' },
  plain: { value: '{}', type: 'string', reason: 'STATIC' },
  long: { value: LONG, type: 'string', format: 'json', reason: 'STATIC' },
};

function observe() {
  const state = { consent: true, flags: new Map(), warnings: new Set() } as unknown as ClientState;
  const lines: string[] = [];
  const observer = new FlagObserver(state, (line) => void lines.push(line));
  observer.onSnapshot({ visitorId: 'v', flags: FLAGS, fetchedAt: 0 }, 'fetched');
  return { state, lines, observer };
}

it('shows parsed values as JSON, cuts long ones, and names the variant', () => {
  const { lines, observer } = observe();
  expect(lines[0]).toMatch(
    /^flags fetched: price = 12\.50, pricing = \{"plans": 2\}, .* = \{"text":"x{91}…$/,
  );
  observer.onRead('price', 1, 12.5);
  observer.onRead('pricing', {}, { plans: 2 });
  observer.onRead('long', {}, JSON.parse(LONG));
  expect(lines.slice(1)).toEqual([
    'flag price: 12.5, the value of the environment, which has no rules',
    'flag pricing: {"plans":2}, a percentage of a rule decided: variant small',
    expect.stringMatching(/^flag long: \{"text":"x{91}…, the value of/),
  ]);
});

it('says why a flag cannot be read with its fallback', () => {
  const { state, observer } = observe();
  observer.onRead('price', {}, {});
  observer.onRead('pricing', 1, 1);
  observer.onRead('plain', {}, {});
  observer.onRead('plain', 1, 1);
  observer.onRead('plain', true, true);
  expect([...state.warnings]).toEqual([
    'Flag price: is a number, but the fallback is an object.',
    'Flag pricing: is JSON, but the fallback is a number.',
    'Flag plain: is a string, but the fallback is an object; to be read like this, it needs the format json.',
    'Flag plain: is a string, but the fallback is a number; to be read like this, it needs the format number.',
    'Flag plain: is a string, but the fallback is a boolean.',
  ]);
});

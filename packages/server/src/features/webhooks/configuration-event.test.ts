import { expect, test } from 'vitest';
import { configurationEvent } from './configuration-event.ts';

const entry = (number: number, fields = 1) => ({
  id: `h${number}`,
  entity: { type: 'flag', key: `f${number}` },
  action: 'update' as const,
  version: 2,
  changes: Array.from({ length: fields }, (_, n) => ({
    pointer: `/${n}`,
    before: 'secret',
    after: 'secret',
  })),
});

const change = {
  propertyId: 'shop',
  version: 7,
  at: 5,
  via: 'dashboard' as const,
  comment: null,
  actor: { type: 'account', id: 'acc_1', name: 'Ann' },
} as const;

test('lists what was changed, without values', () => {
  expect(configurationEvent({ ...change, entries: [entry(1, 2)] })).toEqual({
    type: 'configuration.changed',
    data: {
      propertyId: 'shop',
      version: 7,
      via: 'dashboard',
      comment: null,
      omittedChanges: 0,
      actor: { type: 'account', id: 'acc_1', name: 'Ann' },
      changes: [
        {
          historyId: 'h1',
          entity: { type: 'flag', key: 'f1' },
          action: 'update',
          version: 2,
          pointers: ['/0', '/1'],
        },
      ],
    },
    dedupeKey: 'change:h1',
    at: 5,
  });
});

test('is limited in size', () => {
  const entries = Array.from({ length: 1000 }, (_, number) => entry(number, 500));
  const { data } = configurationEvent({ ...change, entries });
  expect([data.changes.length, data.omittedChanges, data.changes[0]!.pointers.length]).toEqual([
    100, 900, 50,
  ]);
});

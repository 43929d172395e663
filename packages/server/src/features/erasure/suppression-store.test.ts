import { engines } from '@switchyard/testing/configuration/databases';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../configuration/database/database.ts';
import type { AcceptedCollect } from '../../events/store/accepted-request.ts';
import { exportSuppressions } from './suppression-file.ts';
import { SuppressionList } from './suppression-list.ts';
import { liftSuppression, mergeSuppressions, readSuppressions, suppress } from './suppression-store.ts';

const ANN = { propertyId: 'shop', kind: 'visitor', id: 'ann' } as const;
const collect = (visitorId: string, more: Partial<AcceptedCollect> = {}): AcceptedCollect => ({
  kind: 'collect',
  propertyId: 'shop',
  receivedAt: 0,
  sessionId: `session-of-${visitorId}`,
  visitorId,
  device: '',
  browser: '',
  os: '',
  events: [],
  ...more,
});

describe.each(engines())('suppressions, $name', ({ openTemporary }) => {
  let handle: DatabaseHandle;
  beforeEach(async () => {
    handle = await openTemporary();
  });
  afterEach(() => handle.close());

  test('another process knows them after a reload, until they are lifted', async () => {
    const list = new SuppressionList(handle.database);
    await list.reload();
    expect(list.filter(collect('ann'))).toBe(0);
    const many = Array.from({ length: 1200 }, (_, id) => ({ ...ANN, id: `other-${id}` }));
    expect(await suppress(handle.database, [ANN, ...many])).toBe(1201);
    expect(await suppress(handle.database, [ANN, { ...ANN, kind: 'user', id: 'u' }])).toBe(1);
    await list.reload();
    expect(list.filter(collect('ann'))).toBe('all');
    expect(list.filter(collect('other-1199'))).toBe('all');
    expect(list.filter({ ...collect('ann'), propertyId: 'blog' })).toBe(0);
    const ofUser = collect('new', { userId: 'u' });
    expect(list.filter(ofUser)).toBe(0);
    expect(ofUser).not.toHaveProperty('userId');
    expect(await liftSuppression(handle.database, ANN)).toBe(true);
    expect(await liftSuppression(handle.database, ANN)).toBe(false);
    await list.reload();
    // Its session was added when it was seen.
    expect(list.filter(collect('ann', { sessionId: 'another' }))).toBe(0);
    expect(list.filter(collect('other-7'))).toBe('all');
  });

  test('a copy of the list can be merged, one of another installation cannot', async () => {
    await suppress(handle.database, [ANN]);
    const { salt, entries } = await exportSuppressions(handle.database);
    expect(JSON.stringify(entries)).not.toContain('ann');
    const more = { ...entries[0]!, hash: 'from-another-copy' };
    expect(await mergeSuppressions(handle.database, salt!, [...entries, more])).toBe(1);
    expect(await readSuppressions(handle.database)).toHaveLength(2);
    await expect(mergeSuppressions(handle.database, 'another-salt', entries)).rejects.toThrow(
      /another installation/,
    );
  });
});

import {
  createPostgresDatabase,
  engines,
  hasPostgres,
  type TestDatabase,
} from '@switchyard/testing/configuration/databases';
import { expectExactHistory } from '@switchyard/testing/configuration/exact-history';
import { provisionDatabase } from '@switchyard/testing/configuration/provision-database';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createToken } from '../../../features/accounts/access-token-store.ts';
import { changeAccount } from '../../../features/accounts/account-administration.ts';
import { createAccount, hasActiveOwner } from '../../../features/accounts/account-store.ts';
import { ensureFirstOwner } from '../../../features/accounts/first-owner.ts';
import { EvaluationCounts } from '../../../features/flags/evaluation-counts.ts';
import { FlagUsageRecorder } from '../../../features/flags/flag-usage-recorder.ts';
import { queueTest } from '../../../features/webhooks/webhook-routes.ts';
import { configurationModel } from '../../../start/definitions.ts';
import { OPERATOR } from '../../property/actor.ts';
import { openConfiguration } from '../../snapshot/configuration.ts';
import { ConfigurationWriter } from '../../writer/configuration-writer.ts';
import type { DatabaseHandle } from '../database.ts';
import { inTransaction } from '../in-transaction.ts';
import { ALL_MIGRATIONS } from '../migrations/all-migrations.ts';
import type { Migration } from '../migrations/migration.ts';
import { readDatabase } from '../open-database.ts';
import { openPostgres } from './open-postgres.ts';

const BY = { actor: OPERATOR, via: 'cli' as const };
const NODES = 4;
const CHANGES = 6;

describe.each(engines())('several processes on $name', (engine) => {
  let stored: TestDatabase;
  let nodes: DatabaseHandle[];
  beforeEach(async () => {
    stored = await engine.create();
    nodes = [];
    for (let i = 0; i < NODES; i++) nodes.push(await stored.open());
    await provisionDatabase(first().database, {
      id: 'shop',
      name: 'Shop',
      goals: [{ id: 'signup', kind: 'count' }],
      flags: [{ key: 'banner', type: 'boolean', defaultValue: false }],
    });
  });
  afterEach(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await stored.remove();
  });

  const first = () => nodes[0]!;
  const writerOf = ({ database }: DatabaseHandle) => new ConfigurationWriter(database, configurationModel);
  const onEach = <T>(run: (node: DatabaseHandle, index: number) => Promise<T>) => Promise.all(nodes.map(run));

  test('no change is lost, and the history is one chain', async () => {
    await onEach(async (node, index) => {
      const configuration = await openConfiguration(node, configurationModel);
      const writer = new ConfigurationWriter(node.database, configurationModel, { configuration });
      for (let i = 0; i < CHANGES; i++) {
        await writer.changeProperty('shop', BY, ({ current }) => {
          const goal = { ...current!.goals[0]!, id: `goal-${index}-${i}`, version: 0 };
          return { ...current!, name: `${current!.name}.`, goals: [...current!.goals, goal] };
        });
      }
      await configuration.close();
    });
    const history = await expectExactHistory(first().database, 'shop');
    const [property] = await configurationModel.property.rows.list(first().database, 'shop');
    expect(property).toMatchObject({
      name: `Shop${'.'.repeat(NODES * CHANGES)}`,
      version: 1 + NODES * CHANGES,
    });
    expect(history.filter(({ entity }) => entity.key.startsWith('goal-'))).toHaveLength(NODES * CHANGES);
  });

  test('one of several writers with the same expected version succeeds', async () => {
    const outcomes = await onEach((node) =>
      writerOf(node)
        .changeProperty('shop', BY, ({ current }) => {
          if (current!.version !== 1) throw new Error('version conflict');
          return { ...current!, holdout: 5 };
        })
        .then(
          () => 'saved',
          (error: Error) => error.message,
        ),
    );
    expect(outcomes.filter((outcome) => outcome === 'saved')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'version conflict')).toHaveLength(NODES - 1);
  });

  test('several properties are changed in any order, created, deleted and created again', async () => {
    await onEach(async (node, index) => {
      const ids = index % 2 === 0 ? ['shop', 'blog'] : ['blog', 'shop'];
      await provisionDatabase(node.database, ...ids.map((id) => ({ id, name: `${id} ${index}` })));
      await writerOf(node).changeProperty('blog', BY, () => undefined);
    });
    for (const id of ['shop', 'blog']) await expectExactHistory(first().database, id);
  });

  test('there is always an owner who can sign in, and the first one is created once', async () => {
    const created = await onEach((node, index) =>
      ensureFirstOwner(node.database, { email: `ada${index % 2}@shop.example`, password: 'a long password' }),
    );
    expect(created.filter(Boolean)).toHaveLength(1);
    await first().database.deleteFrom('accounts').execute();
    const owners = await onEach((node, index) =>
      inTransaction(node.database, (transaction) =>
        createAccount(transaction, { email: `${index}@shop.example`, passwordHash: 'x', isOwner: true }),
      ),
    );
    await Promise.allSettled(
      nodes.map((node, index) => changeAccount(node.database, owners[index]!.id, { disabled: true })),
    );
    expect(await hasActiveOwner(first().database)).toBe(true);
  });

  test('a limit that is checked before an insert holds', async () => {
    const { id } = await createAccount(first().database, {
      email: 'ada@shop.example',
      passwordHash: 'x',
      isOwner: false,
    });
    const tokens = () =>
      first().database.selectFrom('access_tokens').select('id').where('account_id', '=', id).execute();
    await Promise.allSettled(
      nodes.map((node, index) =>
        inTransaction(node.database, async (transaction) => {
          const known = await transaction
            .selectFrom('access_tokens')
            .select('id')
            .where('account_id', '=', id)
            .execute();
          if (known.length > 0) throw new Error('too many');
          const token = { name: `${index}`, role: 'viewer' as const, expiresAt: Date.now() + 1000 };
          return createToken(transaction, id, 'sw_', token);
        }),
      ),
    );
    expect(await tokens()).toHaveLength(1);
  });

  test('deliveries of a webhook have different positions', async () => {
    const webhook = {
      id: 'hook',
      url: 'https://example.com/hook',
      events: ['change.made' as never],
      enabled: true,
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      version: 0,
      createdAt: 1,
    };
    await writerOf(first()).changeProperty('shop', BY, ({ current }) => ({
      ...current!,
      webhooks: [webhook],
    }));
    const ref = { propertyId: 'shop', webhookId: 'hook' };
    await onEach(async ({ database }) => {
      for (let i = 0; i < CHANGES; i++) await queueTest(database, ref, () => {});
    });
    const rows = await first().database.selectFrom('webhook_deliveries').select('position').execute();
    const positions = rows.map(({ position }) => position).sort((a, b) => a - b);
    expect(positions).toEqual(Array.from({ length: NODES * CHANGES }, (_, index) => index + 1));
  });

  test('evaluations are counted exactly, and a report once', async () => {
    const usage = { propertyId: 'shop', environmentId: 'production', flagKey: 'banner', value: 'true' };
    const now = Date.now();
    await onEach(async ({ database }) => {
      const recorder = new FlagUsageRecorder(database, new EvaluationCounts());
      for (let i = 0; i < CHANGES; i++) {
        const counts = [{ ...usage, count: 2, at: now }];
        await recorder.report({ propertyId: 'shop', reportId: `report-${i}`, counts, receivedAt: now });
        await recorder.report({ propertyId: 'shop', counts, receivedAt: now });
      }
    });
    const { total } = await first()
      .database.selectFrom('flag_usage')
      .select(({ fn }) => fn.sum<number>('count').as('total'))
      .executeTakeFirstOrThrow();
    expect(total).toBe(2 * CHANGES + 2 * CHANGES * NODES);
  });
});

describe.skipIf(!hasPostgres())('PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof createPostgresDatabase>>;
  beforeEach(async () => {
    database = await createPostgresDatabase({ empty: true });
  });
  afterEach(() => database.remove());

  test('ten starts at once migrate an empty database once', async () => {
    const opened = await Promise.all(Array.from({ length: 10 }, () => openPostgres(database.url)));
    for (const handle of opened) {
      const applied = await handle.database.selectFrom('kysely_migration').select('name').execute();
      expect(applied).toHaveLength(ALL_MIGRATIONS.length);
    }
    await Promise.all(opened.map((handle) => handle.close()));
  });

  test('an older schema is upgraded with its data by several starts at once', async () => {
    const old = await openPostgres(database.url);
    await provisionDatabase(old.database, { id: 'shop', goals: [{ id: 'signup', kind: 'count' }] });
    const next: Migration = {
      name: '999-next',
      up: (schema) => schema.alterTable('goals').addColumn('next', 'text').execute(),
    };
    const migrations = [...ALL_MIGRATIONS, next];
    const opened = await Promise.all([
      openPostgres(database.url, { migrations }),
      openPostgres(database.url, { migrations }),
    ]);
    const added = await sql`select id, next from goals`.execute(opened[0].database);
    expect(added.rows).toEqual([{ id: 'signup', next: null }]);
    await Promise.all([old, ...opened].map((handle) => handle.close()));
    await expect(openPostgres(database.url)).rejects.toThrow('newer version of Switchyard (it has 999-next)');
    await readDatabase({ url: database.url }, (reading) => expectExactHistory(reading, 'shop'));
  });

  test('a failed migration leaves nothing behind', async () => {
    const failing = {
      name: '999-fails',
      up: async () => {
        throw new Error('this migration fails');
      },
    };
    await expect(openPostgres(database.url, { migrations: [...ALL_MIGRATIONS, failing] })).rejects.toThrow(
      'this migration fails',
    );
    const handle = await openPostgres(database.url);
    expect(await handle.database.selectFrom('properties').selectAll().execute()).toEqual([]);
    await handle.close();
  });

  test('text is compared by code point, and may contain any character', async () => {
    const handle = await openPostgres(database.url);
    const ids = ['a', 'B', 'é', 'Z', 'b\0c', '\uF8FF0', '_'];
    for (const id of ids) {
      const erasure = {
        id,
        property_id: 'shop',
        kind: 'visitor' as const,
        subject: id,
        requested_at: 2 ** 45,
      };
      await handle.database.insertInto('erasures').values(erasure).execute();
    }
    const rows = await handle.database
      .selectFrom('erasures')
      .select(['subject', 'requested_at'])
      .orderBy('id')
      .execute();
    expect(rows.map(({ subject }) => subject)).toEqual(['B', 'Z', '_', 'a', 'b\0c', 'é', '\uF8FF0']);
    expect(rows[0]).toEqual({ subject: 'B', requested_at: 2 ** 45 });
    await handle.close();
  });

  test('a connection that the server ends is replaced', async () => {
    const handle = await openPostgres(database.url);
    const other = await openPostgres(database.url);
    const pidOf = sql<{ pid: number }>`select pg_backend_pid() as pid`;
    const { rows } = await pidOf.execute(handle.database);
    await sql`select pg_terminate_backend(${rows[0]!.pid})`.execute(other.database);
    await expect
      .poll(() =>
        pidOf.execute(handle.database).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await expect(
      handle.database.transaction().execute(async (transaction) => {
        const own = await pidOf.execute(transaction);
        await sql`select pg_terminate_backend(${own.rows[0]!.pid})`.execute(other.database);
        await pidOf.execute(transaction);
      }),
    ).rejects.toThrow();
    expect((await pidOf.execute(handle.database)).rows).toHaveLength(1);
    await Promise.all([handle.close(), other.close()]);
  });

  test('a statement that takes too long fails, and the next one works', async () => {
    const handle = await openPostgres(database.url, { statementTimeoutMs: 200 });
    await expect(sql`select pg_sleep(30)`.execute(handle.database)).rejects.toThrow(/timeout/);
    expect((await sql`select 1`.execute(handle.database)).rows).toHaveLength(1);
    await handle.close();
  });
});

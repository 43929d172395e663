import { createPostgresDatabase, hasPostgres } from '@switchyard/testing/configuration/databases';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connectPostgres } from '../../configuration/database/postgres/open-postgres.ts';
import { assertUnused, countNodeConnections } from './target-checks.ts';

describe.skipIf(!hasPostgres())('a move to PostgreSQL', () => {
  let url: string;
  beforeEach(async () => {
    const database = await createPostgresDatabase({ empty: true });
    onTestFinished(() => database.remove());
    url = database.url;
  });

  const connect = () => {
    const database = connectPostgres(url, { connections: 1 });
    onTestFinished(() => database.destroy());
    return database;
  };

  test('waits for connections that end', async () => {
    const node = connectPostgres(url, { connections: 1 });
    expect(await countNodeConnections(node)).toBe(0);
    let isEnding = false;
    await assertUnused(connect(), () => {
      isEnding = true;
      void node.destroy();
    });
    expect(isEnding).toBe(true);
  });

  test('is refused while nodes stay connected', async () => {
    const node = connect();
    await countNodeConnections(node);
    const refused = assertUnused(connect(), () => undefined, 300);
    await expect(refused).rejects.toThrow('Nodes are using the PostgreSQL database');
  });
});

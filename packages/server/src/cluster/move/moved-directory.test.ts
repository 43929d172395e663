import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { switchyardWith } from '@switchyard/testing/server/command-line';
import { temporaryDirectory } from '@switchyard/testing/server/test-server';
import { expect, test } from 'vitest';
import { assertUsable, markMoved } from './moved-directory.ts';

const SERVERS = {
  databaseUrl: 'postgres://user:secret@database.example/switchyard',
  clickhouse: { url: 'http://events.example:8123/switchyard' },
};

function directoryWith(...names: string[]): string {
  const directory = temporaryDirectory();
  for (const name of names) writeFileSync(join(directory, name), '');
  return directory;
}

const asNode = (directory: string) => () => assertUsable(directory, true);
const embedded = (directory: string) => () => assertUsable(directory, false);

test('an empty directory, or one with its own data, is usable', () => {
  expect(asNode(directoryWith())).not.toThrow();
  expect(embedded(directoryWith())).not.toThrow();
  expect(asNode(directoryWith('node.db', 'configuration-snapshot.json'))).not.toThrow();
  expect(embedded(directoryWith('config.db', 'events.duckdb', 'journal.db'))).not.toThrow();
});

test.each(['config.db', 'events.duckdb'])('a node does not start next to %s that was not moved', (name) => {
  const directory = directoryWith(name);
  expect(asNode(directory)).toThrow(`(${name}). Move it with "switchyard move", or use another DATA_DIR`);
});

test('after the move a node may start, and a server without DATABASE_URL only after undoing it', async () => {
  const directory = directoryWith('config.db', 'events.duckdb');
  await markMoved(directory, SERVERS);
  expect(asNode(directory)).not.toThrow();
  expect(embedded(directory)).toThrow(/was moved to database\.example\/switchyard and events\.example/);
  expect(embedded(directory)).not.toThrow('secret');
  writeFileSync(join(directory, 'node.db'), '');
  expect(asNode(directory)).not.toThrow();
  rmSync(join(directory, 'moved.json'));
  expect(embedded(directory)).toThrow('has the journal of a node');
  rmSync(join(directory, 'node.db'));
  expect(embedded(directory)).not.toThrow();
});

test('a server without DATABASE_URL that finds the journal of a node ends and says what to do', async () => {
  const directory = directoryWith('node.db');
  const { code, stdout, stderr } = await switchyardWith({ DATA_DIR: directory, PORT: '0' }, 'serve');
  expect(code).toBe(1);
  expect(stdout + stderr).toContain(`store its events with "switchyard ship ${directory}"`);
});

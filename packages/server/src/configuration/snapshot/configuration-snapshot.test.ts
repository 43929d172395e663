import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProvisionedProperty } from '@switchyard/core/api/provisioning';
import { provisionDatabase } from '@switchyard/testing/configuration/provision-database';
import { SAMPLE, SECRET_KEY } from '@switchyard/testing/fixtures/sample-property';
import { waitFor } from '@switchyard/testing/time/wait';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configurationModel } from '../../start/definitions.ts';
import type { DatabaseHandle } from '../database/database.ts';
import { openMemoryDatabase } from '../database/open-database.ts';
import { type Configuration, openConfiguration } from './configuration.ts';
import { readSnapshot, snapshotPath } from './configuration-snapshot.ts';
import { keepSnapshot } from './snapshot-writer.ts';

let dataDir: string;
let handle: DatabaseHandle;
let configuration: Configuration;
let stop: () => Promise<void>;
let errors: unknown[];
let warnings: string[];

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-snapshot-'));
  handle = await openMemoryDatabase();
  await provisionDatabase(handle.database, ...(SAMPLE.properties as ProvisionedProperty[]));
  configuration = await openConfiguration(handle, configurationModel);
  errors = [];
  warnings = [];
  stop = keepSnapshot({ dataDir, configuration, onError: (error) => errors.push(error) });
});

afterEach(async () => {
  await stop();
  await configuration.close();
  await handle.close();
  rmSync(dataDir, { recursive: true });
});

const read = () => readSnapshot(dataDir, (message) => warnings.push(message));

test('the snapshot has what the database has, also after a change', async () => {
  const before = await waitFor('the snapshot', read);
  expect(before.properties).toEqual(configuration.properties());
  await provisionDatabase(handle.database, { id: 'shop', goals: [{ id: 'new', kind: 'count' }] });
  await configuration.reload();
  const after = await waitFor('the change', () => {
    const found = read();
    return found?.properties[0]?.goals.some(({ id }) => id === 'new') ? found : undefined;
  });
  expect(after.properties).toEqual(configuration.properties());
  await stop();
  expect(readdirSync(dataDir)).toEqual(['configuration-snapshot.json']);
  expect(statSync(snapshotPath(dataDir)).mode & 0o777).toBe(0o600);
  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
});

test('a node that starts from it serves its properties and keys', async () => {
  const { properties } = await waitFor('the snapshot', read);
  const empty = await openMemoryDatabase();
  const started = await openConfiguration(empty, configurationModel, { initial: properties });
  expect(started.properties()).toEqual(configuration.properties());
  expect(started.keyByText(SECRET_KEY)).toEqual(configuration.keyByText(SECRET_KEY));
  expect(started.keyByText(SECRET_KEY)).toBeDefined();
  await started.close();
  await empty.close();
});

test('a damaged snapshot, one of another version and a missing one are ignored', async () => {
  await waitFor('the snapshot', read);
  await stop();
  const text = readFileSync(snapshotPath(dataDir), 'utf8');
  const changed = [
    text.slice(0, -30),
    text.replace('"name":"Shop"', '"name":"Shed"'),
    text.replace('"format":1', '"format":2'),
    text.replace(/"schema":"[^"]*"/, '"schema":"001-properties"'),
    'null',
    '',
  ];
  for (const each of changed) {
    expect(each).not.toBe(text);
    writeFileSync(snapshotPath(dataDir), each);
    expect(read()).toBeUndefined();
  }
  expect(warnings.map((warning) => warning.replace(/^.*json /, ''))).toEqual([
    'is damaged and was ignored',
    'is damaged and was ignored',
    'was written by another version of Switchyard and was ignored',
    'was written by another version of Switchyard and was ignored',
    'is damaged and was ignored',
    'is damaged and was ignored',
  ]);
  rmSync(snapshotPath(dataDir));
  expect(read()).toBeUndefined();
  expect(warnings).toHaveLength(6);
});

test('a snapshot that cannot be written is reported', async () => {
  await waitFor('the snapshot', read);
  await stop();
  rmSync(dataDir, { recursive: true });
  stop = keepSnapshot({ dataDir, configuration, onError: (error) => errors.push(error) });
  await waitFor('the error', () => errors.length > 0);
  expect(String(errors[0])).toContain('ENOENT');
  dataDir = mkdtempSync(join(tmpdir(), 'switchyard-snapshot-'));
});

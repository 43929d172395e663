import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { PersonQuery } from '@switchyard/core/api/people';
import { configurationStores } from '../configuration-stores.ts';
import { openUnlessLocked } from '../features/erasure/offline-erasure.ts';
import { currentFlags } from '../features/explanations/explanation-service.ts';
import { statesOf } from '../features/feedback/feedback-state-store.ts';
import { compileRuleRegex } from '../features/flags/rule-regex.ts';
import { evaluatedFlags } from '../features/reports/evaluated-flags.ts';
import { personExport } from '../features/sessions/person-export.ts';
import { loadProperty } from '../storage/configuration.ts';
import type { DatabaseHandle } from '../storage/database.ts';
import { CliError } from './cli-error.ts';
import { personOf, type SubjectOptions } from './subject-options.ts';
import { databaseUrl, requireProperty, withExistingDatabase } from './with-database.ts';

export interface PersonOptions extends SubjectOptions {
  dataDir: string;
  out?: string;
  url?: string;
}

export async function exportPerson(options: PersonOptions): Promise<void> {
  const { propertyId, person } = personOf(options);
  if (options.url !== undefined) return write(options.out, downloaded(options.url, propertyId, person));
  if (databaseUrl() !== undefined) throw new CliError(`The events are in ClickHouse. ${ASK_SERVER}`);
  await withExistingDatabase(options.dataDir, async (handle) => {
    await requireProperty(handle, propertyId);
    const events = await openUnlessLocked(options.dataDir);
    if (events === undefined) throw new CliError(`A server is using ${options.dataDir}. ${ASK_SERVER}`);
    try {
      const sources = {
        eventStore: events.eventStore,
        statesOf: (ids: readonly string[]) => statesOf(handle.database, propertyId, ids),
        ...(await flagSource(handle, propertyId)),
      };
      await write(options.out, personExport(sources, propertyId, person));
    } finally {
      await events.close();
    }
  });
}

const ASK_SERVER =
  'Pass its address with --url, and an access token of an admin in the environment variable SWITCHYARD_TOKEN.';

async function flagSource({ database }: DatabaseHandle, propertyId: string) {
  const [stored] = await configurationStores.listProperties(database, propertyId);
  const property = await loadProperty(database, configurationStores, stored!);
  const evaluations = {
    evaluateAll: async (input: Parameters<typeof evaluatedFlags>[0]) =>
      evaluatedFlags(input, compileRuleRegex),
  };
  return {
    flagsOf: (session: Parameters<typeof currentFlags>[1]) => currentFlags(property, session, evaluations),
  };
}

async function* downloaded(
  url: string,
  propertyId: string,
  person: PersonQuery,
): AsyncGenerator<Uint8Array | string> {
  const query = new URLSearchParams(person as Record<string, string>);
  const address = new URL(`/v1/manage/properties/${encodeURIComponent(propertyId)}/person?${query}`, url);
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${process.env.SWITCHYARD_TOKEN ?? ''}` },
  });
  if (!response.ok || response.body === null) {
    throw new CliError(`The server refused with status ${response.status}: ${await response.text()}`);
  }
  yield* response.body;
}

/** A file appears when it is complete. */
async function write(out: string | undefined, parts: AsyncIterable<Uint8Array | string>): Promise<void> {
  if (out === undefined) {
    for await (const part of parts) if (!process.stdout.write(part)) await once(process.stdout, 'drain');
    return;
  }
  const temporary = `${out}.part`;
  const file = createWriteStream(temporary, { mode: 0o600 });
  try {
    for await (const part of parts) if (!file.write(part)) await once(file, 'drain');
    file.end();
    await finished(file);
    await rename(temporary, out);
  } catch (error) {
    file.destroy();
    await rm(temporary, { force: true });
    throw error;
  }
}

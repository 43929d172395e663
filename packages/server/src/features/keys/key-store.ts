import { hashKey } from '../../storage/configuration.ts';
import type { KeySettings } from '../../storage/configuration-settings.ts';
import { type Database, newId, nextPosition } from '../../storage/database.ts';
import type { ApiKey, KeyKind } from '../../storage/property-configuration.ts';
import { generateApiKey, keyPreview } from './api-key.ts';

export async function listKeys(database: Database): Promise<ApiKey[]> {
  const rows = await database
    .selectFrom('api_keys')
    .selectAll()
    .orderBy('property_id')
    .orderBy('position')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    propertyId: row.property_id,
    kind: row.kind,
    name: row.name,
    hash: row.hash,
    prefix: row.prefix,
    lastFour: row.last_four,
    publicKey: row.public_key,
    createdAt: row.created_at,
  }));
}

/** Stores a key and returns its text. Of a secret key, only a hash and a preview are stored. */
export async function createKey(
  database: Database,
  propertyId: string,
  settings: KeySettings,
): Promise<string> {
  const { kind, name, text = generateApiKey(kind) } = settings;
  await database
    .insertInto('api_keys')
    .values({
      id: newId('key'),
      property_id: propertyId,
      kind,
      name,
      ...textColumns(kind, text),
      position: await nextPosition(database, 'api_keys', propertyId),
      created_at: Date.now(),
    })
    .execute();
  return text;
}

export async function renameKey(database: Database, id: string, name: string): Promise<void> {
  await database.updateTable('api_keys').set({ name }).where('id', '=', id).execute();
}

/** Replaces the text of a key; the old text stops working. */
export async function replaceKeyText(
  database: Database,
  id: string,
  kind: KeyKind,
  text: string,
): Promise<void> {
  await database.updateTable('api_keys').set(textColumns(kind, text)).where('id', '=', id).execute();
}

/** Returns false if the key does not exist. */
export async function deleteKey(database: Database, id: string): Promise<boolean> {
  const result = await database.deleteFrom('api_keys').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

function textColumns(kind: KeyKind, text: string) {
  const { prefix, lastFour } = keyPreview(text);
  return { hash: hashKey(text), prefix, last_four: lastFour, public_key: kind === 'public' ? text : null };
}

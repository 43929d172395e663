import type { ProvisionedKey } from '@switchyard/core/api/provisioning';
import { newId } from '../../configuration/database/database.ts';
import type { ItemRuleContext } from '../../configuration/definitions/collection-definition.ts';
import type { ApiKey, KeyKind } from '../../configuration/property/property-configuration.ts';
import { hashKey } from '../../configuration/snapshot/configuration.ts';
import { generateApiKey, keyPreview, parseApiKey } from './api-key.ts';

type Context = Pick<
  ItemRuleContext,
  'now' | 'report' | 'otherKeys' | 'keyHashes' | 'candidate' | 'keyGenerated'
>;

/** The keys of the candidate. An entry refers to a stored key by its text, or else by kind and name. */
export function resolveKeys(
  entries: readonly ProvisionedKey[],
  stored: readonly ApiKey[],
  context: Context,
): ApiKey[] {
  const names = new Set<string>();
  const claimed = new Set<string>();
  const propertyId = context.candidate.id;
  return entries.map((entry, index) => {
    const place = `/apiKeys/${index}`;
    const sameText = findByText(entry, stored, `${place}/key`, context);
    const name = entry.name ?? sameText?.name ?? entry.kind;
    const sameName = stored.find((key) => key.kind === entry.kind && key.name === name);
    if (names.has(`${entry.kind} ${name}`)) {
      context.report(`${place}/name`, `"${name}" is already used by another ${entry.kind} key in this list`);
    }
    names.add(`${entry.kind} ${name}`);
    if (sameText !== undefined && sameName !== undefined && sameText !== sameName) {
      context.report(
        `${place}/name`,
        `"${name}" is already used by another stored ${entry.kind} key; delete that key first`,
      );
    }
    const known = sameText ?? sameName;
    if (known !== undefined && claimed.has(known.id))
      context.report(place, 'refers to the same stored key as another entry');
    if (known !== undefined) claimed.add(known.id);
    if (known !== undefined && entry.key === undefined) return { ...known, name };
    const key = newKey({ propertyId, kind: entry.kind, name, text: entry.key, now: context.now, known });
    if (entry.key === undefined) context.keyGenerated(key);
    return key.key;
  });
}

interface NewKey {
  propertyId: string;
  kind: KeyKind;
  name: string;
  /** Generated if omitted. */
  text?: string | undefined;
  now: number;
  /** A stored key whose text is replaced. */
  known?: ApiKey | undefined;
}

/** A key with its text. Of a secret key, only a hash and a preview are kept. */
export function newKey({ propertyId, kind, name, text = generateApiKey(kind), now, known }: NewKey): {
  key: ApiKey;
  text: string;
} {
  const key = {
    id: known?.id ?? newId('key'),
    propertyId,
    kind,
    name,
    hash: hashKey(text),
    ...keyPreview(text),
    publicKey: kind === 'public' ? text : null,
    createdAt: known?.createdAt ?? now,
  };
  return { key, text };
}

function findByText(
  entry: ProvisionedKey,
  stored: readonly ApiKey[],
  path: string,
  { report, otherKeys, keyHashes }: Context,
): ApiKey | undefined {
  if (entry.key === undefined) return undefined;
  const parsed = parseApiKey(entry.key);
  if (parsed === undefined) {
    const shape = '"service_pub_" or "service_sec_" followed by 16 to 128 letters, digits, "_" or "-"';
    report(path, `must be ${shape}`);
    return undefined;
  }
  if (parsed.kind !== entry.kind) report(path, `is a ${parsed.kind} key, but its kind is ${entry.kind}`);
  const hash = hashKey(entry.key);
  if (keyHashes.has(hash)) report(path, 'is used more than once in this file; keys must be unique');
  keyHashes.add(hash);
  const known = stored.find((key) => key.hash === hash);
  if (known !== undefined) return known;
  // The author of this file must not learn which property uses it.
  if (otherKeys.some((key) => key.hash === hash)) {
    report(path, 'is already in use; omit it to have one generated');
  }
  return undefined;
}

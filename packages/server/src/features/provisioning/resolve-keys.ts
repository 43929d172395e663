import type { ProvisionedKey } from '@switchyard/core/api/provisioning';
import { hashKey } from '../../storage/configuration.ts';
import type { KeySettings } from '../../storage/configuration-settings.ts';
import type { ApiKey } from '../../storage/property-configuration.ts';
import type { Report } from './provision-mistake.ts';
import type { ProvisionStores } from './provision-stores.ts';

/** A key of the file, with the stored key that it refers to. */
export interface ResolvedKey extends KeySettings {
  stored?: ApiKey;
}

/** Finds the stored key of each entry: by its text, or else by kind and name. */
export class KeyResolver {
  readonly #stored: readonly ApiKey[];
  readonly #stores: Pick<ProvisionStores, 'parseApiKey'>;
  /** Hashes of the keys in the file, of all properties. */
  readonly #hashes = new Set<string>();

  constructor(stored: readonly ApiKey[], stores: Pick<ProvisionStores, 'parseApiKey'>) {
    this.#stored = stored;
    this.#stores = stores;
  }

  resolve(
    propertyId: string,
    entries: readonly ProvisionedKey[],
    path: string,
    report: Report,
  ): ResolvedKey[] {
    const stored = this.#stored.filter((key) => key.propertyId === propertyId);
    const names = new Set<string>();
    const claimed = new Set<string>();
    return entries.map((entry, index) => {
      const place = `${path}/${index}`;
      const sameText = this.#resolveText(propertyId, entry, `${place}/key`, report);
      const name = entry.name ?? sameText?.name ?? entry.kind;
      const sameName = stored.find((key) => key.kind === entry.kind && key.name === name);
      if (names.has(`${entry.kind} ${name}`)) {
        report(`${place}/name`, `"${name}" is already used by another ${entry.kind} key in this list`);
      }
      names.add(`${entry.kind} ${name}`);
      if (sameText !== undefined && sameName !== undefined && sameText !== sameName) {
        report(
          `${place}/name`,
          `"${name}" is already used by another stored ${entry.kind} key; delete that key first`,
        );
      }
      const match = sameText ?? sameName;
      if (match !== undefined && claimed.has(match.id))
        report(place, 'refers to the same stored key as another entry');
      if (match !== undefined) claimed.add(match.id);
      return { kind: entry.kind, name, text: entry.key, stored: match };
    });
  }

  #resolveText(propertyId: string, entry: ProvisionedKey, path: string, report: Report): ApiKey | undefined {
    if (entry.key === undefined) return undefined;
    const parsed = this.#stores.parseApiKey(entry.key);
    if (parsed === undefined) {
      const shape = '"service_pub_" or "service_sec_" followed by 16 to 128 letters, digits, "_" or "-"';
      report(path, `must be ${shape}`);
      return undefined;
    }
    if (parsed.kind !== entry.kind) report(path, `is a ${parsed.kind} key, but its kind is ${entry.kind}`);
    const hash = hashKey(entry.key);
    if (this.#hashes.has(hash)) report(path, 'is used more than once in this file; keys must be unique');
    this.#hashes.add(hash);
    const known = this.#stored.find((key) => key.hash === hash);
    if (known === undefined || known.propertyId === propertyId) return known;
    // The author of this file must not learn which property uses it.
    report(path, 'is already in use; omit it to have one generated');
    return undefined;
  }
}

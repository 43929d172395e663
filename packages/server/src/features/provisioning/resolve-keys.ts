import type { ProvisionedKey } from '@switchyard/core/api/provisioning';
import { hashKey } from '../../storage/configuration.ts';
import type { KeySettings } from '../../storage/configuration-settings.ts';
import type { ApiKey } from '../../storage/property-configuration.ts';
import type { Report } from './provision-mistake.ts';
import type { ProvisionStores } from './provision-stores.ts';

/** A key that the file asks for, and the stored one that it means. */
export interface ResolvedKey extends KeySettings {
  stored?: ApiKey;
}

/** Finds the stored key of each entry: the one with the same text, else the one of the same kind and name. */
export class KeyResolver {
  readonly #stored: readonly ApiKey[];
  readonly #stores: Pick<ProvisionStores, 'parseApiKey'>;
  /** Hashes of the texts in the file, over all properties. */
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
        report(`${place}/name`, `"${name}" is the name of another ${entry.kind} key in this list`);
      }
      names.add(`${entry.kind} ${name}`);
      if (sameText !== undefined && sameName !== undefined && sameText !== sameName) {
        report(
          `${place}/name`,
          `"${name}" is the name of another stored ${entry.kind} key; delete that one first`,
        );
      }
      const meant = sameText ?? sameName;
      if (meant !== undefined && claimed.has(meant.id))
        report(place, 'means the same stored key as another entry');
      if (meant !== undefined) claimed.add(meant.id);
      return { kind: entry.kind, name, text: entry.key, stored: meant };
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
    if (this.#hashes.has(hash)) report(path, 'stands in this file already; every key must be its own');
    this.#hashes.add(hash);
    const known = this.#stored.find((key) => key.hash === hash);
    if (known === undefined || known.propertyId === propertyId) return known;
    // Which property has it is not for the writer of this file to know.
    report(path, 'is taken; leave it out and one is generated');
    return undefined;
  }
}

import type { ProvisionFile } from '@switchyard/core/api/provisioning';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { reportRepeated } from '../../configuration/definitions/repeated-entries.ts';
import type { ResolveProperty } from '../../configuration/definitions/rule-context.ts';
import type { Actor, Via } from '../../configuration/property/actor.ts';
import type { ApiKey, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type {
  ChangeTransaction,
  ConfigurationWriter,
} from '../../configuration/writer/configuration-writer.ts';
import { StorageError } from '../../platform/errors/storage-error.ts';
import type { ProvisionSource } from './provision-file.ts';
import { ProvisionError, type ProvisionMistake } from './provision-mistake.ts';
import { describeProperty, type GeneratedKey, type ProvisionChange } from './provision-plan.ts';
import { type ShapedFile, shapeProvisionFile } from './provision-shape.ts';

export interface ProvisionResult {
  changes: ProvisionChange[];
  generatedKeys: GeneratedKey[];
}

/** What applying a file needs: the nouns, their writer and rules, and who applies it. */
export interface Provisioning {
  model: ConfigurationModel;
  writer: ConfigurationWriter;
  resolve: ResolveProperty;
  by: { actor: Actor; via: Via };
  /**
   * Called for properties that cannot be created yet, because the events of deleted ones with the same id are still
   * being deleted; they are skipped. Without it, they are mistakes.
   */
  skipBeingDeleted?: (propertyId: string) => void;
}

/** Returns the changes that `applyProvision` would make. Throws `ProvisionError` with every mistake. */
export async function planProvision(
  provisioning: Provisioning,
  source: ProvisionSource,
): Promise<ProvisionChange[]> {
  return (await provision(provisioning, source, true)).changes;
}

/** Applies the whole file, or nothing if it has a mistake. Throws `ProvisionError` with every mistake. */
export function applyProvision(
  provisioning: Provisioning,
  source: ProvisionSource,
): Promise<ProvisionResult> {
  return provision(provisioning, source, false);
}

function provision(
  { model, writer, resolve, by, skipBeingDeleted }: Provisioning,
  source: ProvisionSource,
  dryRun: boolean,
): Promise<ProvisionResult> {
  const shaped = shapeProvisionFile(source.content);
  return writer.transaction({ ...by, dryRun }, async (transaction) => {
    const resolver = new FileResolver(resolve, await transaction.allKeys(), skipBeingDeleted);
    const result = await applyEntries(model, shaped.file, transaction, resolver);
    const mistakes = allMistakes(shaped, resolver.mistakes);
    if (mistakes.length > 0) throw new ProvisionError(sortByPosition(mistakes, source));
    return result;
  });
}

async function applyEntries(
  model: ConfigurationModel,
  file: ProvisionFile,
  transaction: ChangeTransaction,
  resolver: FileResolver,
): Promise<ProvisionResult> {
  const changes: ProvisionChange[] = [];
  const generatedKeys: GeneratedKey[] = [];
  reportRepeated(file.properties, 'id', '/properties', resolver.report);
  for (const [index, entry] of file.properties.entries()) {
    const generated: { key: ApiKey; text: string }[] = [];
    const place = `/properties/${index}`;
    const change = transaction.changeProperty(entry.id, ({ current, now }) => {
      const resolved = resolver.resolve(entry, current, now, place);
      generated.push(...resolved.generatedKeys);
      return resolved.property;
    });
    const changed = await change.catch((error: unknown) => resolver.refused(error, entry.id, place));
    if (changed === undefined) continue;
    changes.push(
      ...describeProperty(
        model,
        entry,
        changed,
        generated.map(({ key }) => key),
      ),
    );
    for (const { key, text } of generated) {
      generatedKeys.push({ propertyId: entry.id, kind: key.kind, name: key.name, text });
    }
  }
  return { changes, generatedKeys };
}

/** Collects the mistakes of all properties. */
class FileResolver {
  readonly mistakes: ProvisionMistake[] = [];
  readonly report = (path: string, message: string): void => {
    this.mistakes.push({ path, message });
  };
  readonly #resolve: ResolveProperty;
  readonly #keys: readonly ApiKey[];
  readonly #keyHashes = new Set<string>();
  readonly #skipBeingDeleted: Provisioning['skipBeingDeleted'];

  constructor(
    resolve: ResolveProperty,
    keys: readonly ApiKey[],
    skipBeingDeleted: Provisioning['skipBeingDeleted'],
  ) {
    this.#resolve = resolve;
    this.#keys = keys;
    this.#skipBeingDeleted = skipBeingDeleted;
  }

  /** Call it with the error of a change, which it throws unless the property is being deleted. */
  refused(error: unknown, propertyId: string, place: string): undefined {
    if (!(error instanceof StorageError) || error.code !== 'PROPERTY_BEING_DELETED') throw error;
    if (this.#skipBeingDeleted !== undefined) this.#skipBeingDeleted(propertyId);
    else this.report(`${place}/id`, 'is the id of a deleted property whose events are still being deleted');
  }

  /** With a mistake, the property stays as it is, so that the others can be checked too. */
  resolve(
    entry: ProvisionFile['properties'][number],
    stored: PropertyConfiguration | undefined,
    now: number,
    place: string,
  ) {
    const before = this.mistakes.length;
    const resolved = this.#resolve(entry, stored, {
      now,
      mode: 'merge',
      otherKeys: this.#keys.filter(({ propertyId }) => propertyId !== entry.id),
      keyHashes: this.#keyHashes,
      report: (pointer, message) => this.report(place + pointer, message),
    });
    return this.mistakes.length > before ? { property: stored, generatedKeys: [] } : resolved;
  }
}

function allMistakes(shaped: ShapedFile, found: readonly ProvisionMistake[]): ProvisionMistake[] {
  const semantic = found
    .map((mistake) => ({ ...mistake, path: shaped.originalPath(mistake.path) }))
    .filter((mistake) => !isConsequence(mistake, shaped.mistakes));
  return [...shaped.mistakes, ...semantic];
}

/** Invalid values were removed, so a missing value there has already been reported. */
function isConsequence(mistake: ProvisionMistake, causes: readonly ProvisionMistake[]): boolean {
  return causes.some(({ path }) => path === mistake.path || path.startsWith(`${mistake.path}/`));
}

function sortByPosition(mistakes: readonly ProvisionMistake[], source: ProvisionSource): ProvisionMistake[] {
  return mistakes
    .map((mistake) => ({ ...mistake, ...source.locate(mistake.path) }))
    .sort((left, right) => (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0));
}

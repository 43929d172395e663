import type { ProvisionedProperty, ProvisionFile } from '@switchyard/core/api/provisioning';
import { Document, visit } from 'yaml';
import { loadProperty } from '../../storage/configuration.ts';
import type { Database } from '../../storage/database.ts';
import type { ApiKey, Flag, PropertyConfiguration, SplitTest } from '../../storage/property-configuration.ts';
import { isoTime } from './iso-time.ts';
import type { ProvisionStores } from './provision-stores.ts';
import { configurationOf } from './resolve-flags.ts';

export interface ExportedConfiguration {
  file: ProvisionFile;
  /** Keys that cannot be exported, because only their hashes are stored. */
  secretKeys: ApiKey[];
}

/** The configuration of one or all properties as a file that `apply` accepts. */
export function exportConfiguration(
  database: Database,
  stores: ProvisionStores,
  propertyId?: string,
): Promise<ExportedConfiguration> {
  return database
    .transaction()
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const stored = await stores.listProperties(transaction);
      const wanted = stored.filter((property) => propertyId === undefined || property.id === propertyId);
      const keys = await stores.listKeys(transaction);
      const properties: ProvisionedProperty[] = [];
      for (const property of wanted) {
        const configuration = await loadProperty(transaction, stores, property);
        properties.push(exportProperty(configuration, keys));
      }
      const ids = new Set(wanted.map((property) => property.id));
      return {
        file: { properties },
        secretKeys: keys.filter((key) => key.publicKey === null && ids.has(key.propertyId)),
      };
    });
}

function exportProperty(property: PropertyConfiguration, keys: readonly ApiKey[]): ProvisionedProperty {
  const { id, name, retentionDays, allowedOrigins, hashSeed, holdout, statistics, aaTest } = property;
  const apiKeys = keys.flatMap(({ propertyId, kind, name: keyName, publicKey }) =>
    propertyId === id && publicKey !== null ? [{ kind, name: keyName, key: publicKey }] : [],
  );
  return {
    id,
    name,
    retentionDays,
    allowedOrigins: allowedOrigins === null ? null : [...allowedOrigins],
    hashSeed,
    holdout,
    statistics,
    aaTest,
    apiKeys,
    environments: [...property.environments],
    goals: [...property.goals],
    feedbackTypes: [...property.feedbackTypes],
    splitTests: property.splitTests.map(exportSplitTest),
    segments: [...property.segments],
    flags: property.flags.map(exportFlag),
  };
}

/** Omits fields without a value, and the phases, which are history and not part of the definition. */
function exportSplitTest(test: SplitTest): NonNullable<ProvisionedProperty['splitTests']>[number] {
  const { id: _id, createdAt: _createdAt, phases: _phases, ...definition } = test;
  const { exclusion, startAt, stopAt } = definition;
  const fields = {
    ...definition,
    exclusion: exclusion && { group: exclusion.group, share: exclusion.share, from: exclusion.from },
    startAt: isoTime(startAt),
    stopAt: isoTime(stopAt),
  };
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(given), key: test.key };
}

function exportFlag(flag: Flag): NonNullable<ProvisionedProperty['flags']>[number] {
  const { id: _id, createdAt: _createdAt, version: _version, configurations, ...definition } = flag;
  const environments = configurations.map(({ environmentId }) => {
    return [environmentId, configurationOf(flag, environmentId) ?? {}] as const;
  });
  return { ...definition, environments: Object.fromEntries(environments) };
}

export function formatJson({ file }: ExportedConfiguration): string {
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

export function formatYaml({ file, secretKeys }: ExportedConfiguration): string {
  const document = new Document(file, { aliasDuplicateObjects: false });
  const missing = secretKeys.map(
    ({ propertyId, name, prefix, lastFour }) => ` ${propertyId}: "${name}" (${prefix}…${lastFour})`,
  );
  if (missing.length > 0) {
    document.commentBefore = [' Secret keys are stored as hashes and cannot be exported:', ...missing].join(
      '\n',
    );
  }
  // Characters that terminals or editors do not show are escaped.
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && /[^\P{C}\n]|[\u0085\u2028\u2029]/u.test(node.value)) {
        node.type = 'QUOTE_DOUBLE';
      }
    },
  });
  return document.toString({ lineWidth: 0 });
}

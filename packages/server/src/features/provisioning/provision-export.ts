import type { ProvisionedProperty, ProvisionFile } from '@switchyard/core/api/provisioning';
import { Document, visit } from 'yaml';
import { loadProperty } from '../../storage/configuration.ts';
import type { Database } from '../../storage/database.ts';
import type {
  ApiKey,
  FeedbackType,
  Flag,
  PropertyConfiguration,
  SplitTest,
} from '../../storage/property-configuration.ts';
import { isoSchedules, isoTimes } from './iso-time.ts';
import type { ProvisionStores } from './provision-stores.ts';
import { fileOptions } from './resolve-feedback-type.ts';
import { configurationsOf } from './resolve-flags.ts';

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

type Entry<List extends 'feedbackTypes' | 'splitTests' | 'flags'> = NonNullable<
  ProvisionedProperty[List]
>[number];

function exportProperty(property: PropertyConfiguration, keys: readonly ApiKey[]): ProvisionedProperty {
  const { id, name, retentionDays, allowedOrigins, hashSeed, holdout, statistics, aaTest, displayCurrency } =
    property;
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
    displayCurrency,
    apiKeys,
    environments: [...property.environments],
    goals: property.goals.map(withoutNulls),
    feedbackTypes: property.feedbackTypes.map(exportFeedbackType),
    splitTests: property.splitTests.map(exportSplitTest),
    segments: [...property.segments],
    flags: property.flags.map(exportFlag),
  };
}

function exportFeedbackType(type: FeedbackType): Entry<'feedbackTypes'> {
  const { optionStyles: _optionStyles, ...definition } = type;
  return { ...definition, options: fileOptions(type) };
}

/** Omits the phases, which are history and not part of the definition. */
function exportSplitTest(test: SplitTest): Entry<'splitTests'> {
  const { id: _id, createdAt: _createdAt, phases: _phases, ...definition } = test;
  const { exclusion } = definition;
  return withoutNulls({
    ...definition,
    ...isoTimes(test),
    exclusion: exclusion && { group: exclusion.group, share: exclusion.share, from: exclusion.from },
  });
}

function exportFlag(flag: Flag): Entry<'flags'> {
  const {
    id: _id,
    createdAt: _createdAt,
    version: _version,
    configurations: _configurations,
    ...definition
  } = flag;
  return withoutNulls({ ...definition, environments: isoSchedules(configurationsOf(flag)) });
}

/** Omits fields without a value. */
function withoutNulls<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as T;
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

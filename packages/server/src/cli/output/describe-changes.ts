import type {
  GeneratedKey,
  ProvisionAction,
  ProvisionChange,
} from '../../features/provisioning/provision-plan.ts';

/** Human-readable changes, grouped by property: `+` created, `~` updated, with what changed. */
export function describeChanges(changes: readonly ProvisionChange[]): string {
  const lines: string[] = [];
  let property: string | undefined;
  for (const change of changes) {
    if (change.action === 'unchanged') continue;
    if (change.propertyId !== property) {
      property = change.propertyId;
      lines.push(`${property}:`);
    }
    lines.push(`  ${change.action === 'create' ? '+' : '~'} ${nounOf(change)} ${change.id}`);
    lines.push(...change.summary.map((line) => `      ${line}`));
    lines.push(...(change.notes ?? []).map((note) => `      ! ${note}`));
  }
  return lines.join('\n');
}

const nounOf = ({ entity }: ProvisionChange) =>
  entity === 'apiKey' ? 'API key' : entity.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

export function countChanges(changes: readonly ProvisionChange[], tense: 'done' | 'planned'): string {
  const count = (action: ProvisionAction) => changes.filter((change) => change.action === action).length;
  const words = tense === 'done' ? ['created', 'changed'] : ['to create', 'to change'];
  return `${count('create')} ${words[0]}, ${count('update')} ${words[1]}, ${count('unchanged')} unchanged.`;
}

export function describeGeneratedKeys(keys: readonly GeneratedKey[]): string {
  const lines = keys.map(({ propertyId, kind, name, text }) => `  ${propertyId}  ${kind}  ${name}  ${text}`);
  return `New API keys (shown only once):\n${lines.join('\n')}`;
}

/** For scripts, which read the fields. */
export const withoutWords = (changes: readonly ProvisionChange[]) =>
  changes.map(({ summary: _summary, ...change }) => change);

import { Text } from '@mantine/core';
import { SnippetTabs } from '../../ui/page/snippet-tabs.tsx';
import type { Goal } from '../configuration/configuration-types.ts';
import { NODE_IMPORTS } from '../configuration/node-imports.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';

type GoalInCode = Pick<Goal, 'id' | 'kind'>;

/** Code that records a conversion. It needs a secret key, which is never shown here. */
export function GoalSnippets({ goal }: { goal: GoalInCode }) {
  const { propertyId } = useProperty();
  const snippets = [
    { name: 'Node.js', code: nodeCode(propertyId, goal) },
    { name: 'curl', code: curlCode(propertyId, goal) },
  ];
  return (
    <>
      <Text size="sm" mb={6}>
        Set <code>SWITCHYARD_KEY</code> to a secret key from <PropertyLink to="keys">API keys</PropertyLink>,
        and pass the session of the visitor, so that split tests can count the conversion.
      </Text>
      <SnippetTabs snippets={snippets} />
    </>
  );
}

const nodeCode = (propertyId: string, { id, kind }: GoalInCode) =>
  `${NODE_IMPORTS}

const switchyard = createSwitchyard({
  apiUrl: '${location.origin}',
  propertyId: '${propertyId}',
  secretApiKey: env.SWITCHYARD_KEY,
});
await switchyard.goals.increment('${id}', { ${kind === 'revenue' ? 'amount: 49.9, ' : ''}sessionId: 's-1' });`;

const curlCode = (propertyId: string, { id, kind }: GoalInCode) =>
  `curl -sS ${location.origin}/v1/goals/increment \\
  -H 'content-type: application/json' -H "x-api-key: $SWITCHYARD_KEY" \\
  -d '${JSON.stringify({ propertyId, goalId: id, sessionId: 's-1', ...(kind === 'revenue' && { amount: 49.9 }) })}'`;

import { Text } from '@mantine/core';
import { SnippetTabs } from '../../ui/page/snippet-tabs.tsx';
import type { FeedbackType } from '../configuration/configuration-types.ts';
import { NODE_IMPORTS } from '../configuration/node-imports.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { optionValue } from './feedback-options.ts';

type TypeInCode = Pick<FeedbackType, 'id' | 'options' | 'textInput'>;

/** Code that submits feedback. It needs a secret key, which is never shown here. */
export function FeedbackSnippets({ type }: { type: TypeInCode }) {
  const { propertyId } = useProperty();
  const answer = {
    ...(type.options[0] !== undefined && { option: optionValue(type.options[0]) }),
    ...(type.textInput && { message: 'Fast checkout' }),
    sessionId: 's-1',
  };
  return (
    <>
      <Text size="sm" mb={6}>
        Set <code>SWITCHYARD_KEY</code> to a secret key from <PropertyLink to="keys">API keys</PropertyLink>,
        and pass the session of the visitor.
      </Text>
      <SnippetTabs
        snippets={[
          { name: 'Node.js', code: nodeCode(propertyId, type.id, answer) },
          { name: 'curl', code: curlCode({ propertyId, feedbackTypeId: type.id, ...answer }) },
        ]}
      />
    </>
  );
}

const nodeCode = (propertyId: string, id: string, answer: object) =>
  `${NODE_IMPORTS}

const switchyard = createSwitchyard({
  apiUrl: '${location.origin}',
  propertyId: '${propertyId}',
  secretApiKey: env.SWITCHYARD_KEY,
});
await switchyard.feedback.submit('${id}', ${JSON.stringify(answer)});`;

const curlCode = (body: object) =>
  `curl -sS ${location.origin}/v1/feedback/submit \\
  -H 'content-type: application/json' -H "x-api-key: $SWITCHYARD_KEY" \\
  -d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`;

import { Text } from '@mantine/core';
import { parseFlagValue } from '@switchyard/core/evaluation/flag-format';
import { SnippetTabs } from '../../ui/page/snippet-tabs.tsx';
import type { Flag } from '../configuration/configuration-types.ts';
import { NODE_IMPORTS } from '../configuration/node-imports.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';

type FlagInCode = Pick<Flag, 'key' | 'type' | 'format' | 'defaultValue'>;

interface FlagSnippetsProps {
  flag: FlagInCode;
  /** Requests say that the evaluation counts in the results of measured rules. */
  isRecorded?: boolean;
}

/** Code that asks for a flag. It needs a secret key, which is never shown here. */
export function FlagSnippets({ flag, isRecorded = false }: FlagSnippetsProps) {
  const { propertyId } = useProperty();
  const snippets = [
    { name: 'Node.js', code: nodeCode(propertyId, flag) },
    { name: 'Page', code: pageCode(flag) },
    { name: 'curl', code: curlCode(propertyId, flag, isRecorded) },
    { name: 'OFREP', code: ofrepCode(flag, isRecorded) },
  ];
  return (
    <>
      <Text size="sm" mb={6}>
        Set <code>SWITCHYARD_KEY</code> to a secret key from <PropertyLink to="keys">API keys</PropertyLink>.
      </Text>
      <SnippetTabs snippets={snippets} />
    </>
  );
}

/** The default value as the code has it. */
function fallbackCode({ format, defaultValue }: FlagInCode): string {
  const value = format === undefined ? defaultValue : parseFlagValue(defaultValue, format);
  return JSON.stringify(value ?? null);
}

const nodeCode = (propertyId: string, flag: FlagInCode) =>
  [
    NODE_IMPORTS,
    '',
    'const switchyard = createSwitchyard({',
    `  apiUrl: '${location.origin}',`,
    `  propertyId: '${propertyId}',`,
    '  secretApiKey: env.SWITCHYARD_KEY,',
    '});',
    'await switchyard.ready();',
    `const value = switchyard.flags.${flag.format ?? flag.type}('${flag.key}', ${fallbackCode(flag)}, { userId: 'u-42' });`,
    'console.log(value);',
  ].join('\n');

/** `switchyard` is the client of the page. */
const pageCode = (flag: FlagInCode) =>
  [
    '// In a page that loads the SDK from the relay of your server, which must list the flag',
    `const value = switchyard.flags.get('${flag.key}', ${fallbackCode(flag)});`,
  ].join('\n');

const curlCode = (propertyId: string, { key }: FlagInCode, record: boolean) =>
  `curl -sS ${location.origin}/v1/flags/evaluate \\
  -H 'content-type: application/json' -H "x-api-key: $SWITCHYARD_KEY" \\
  -d '${JSON.stringify({ propertyId, flagKeys: [key], context: { userId: 'u-42' }, ...(record && { record }) })}'`;

const ofrepCode = ({ key }: FlagInCode, record: boolean) =>
  `curl -sS ${location.origin}/ofrep/v1/evaluate/flags/${key} \\
  -H 'content-type: application/json' -H "authorization: Bearer $SWITCHYARD_KEY"${record ? " -H 'x-record: true'" : ''} \\
  -d '{"context":{"targetingKey":"u-42"}}'`;

import { Tabs } from '@mantine/core';
import { Snippet } from './snippet.tsx';

/** The same code in several languages. */
export function SnippetTabs({ snippets }: { snippets: readonly { name: string; code: string }[] }) {
  return (
    <Tabs defaultValue={snippets[0]!.name} keepMounted={false}>
      <Tabs.List mb={6}>
        {snippets.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name}>
          <Snippet code={code} label={`${name} code`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { Loaded, Panel } from '../../../ui/page/panel.tsx';
import type { SplitTest } from '../../configuration/configuration-types.ts';
import { PreviewLinks } from '../preview-links.tsx';
import { ChecklistItems, useChecklist } from '../start-checklist.tsx';

/** While only previews show a test. Whoever comes back from one finds it on the checklist. */
export function PreviewPanel({ test }: { test: SplitTest }) {
  const [isPreviewing, setIsPreviewing] = useState(false);
  const checklist = useChecklist(test, { staleTime: 0 });
  return (
    <Panel
      title="Before you raise the traffic"
      hint="At 0 %, nobody takes part: only preview links show the variations."
    >
      <Stack gap="md">
        <Loaded query={checklist} what="the checklist" height={280}>
          {({ items }) => <ChecklistItems items={items} />}
        </Loaded>
        <Group gap="xs">
          <Button onClick={() => setIsPreviewing(true)}>Open previews</Button>
          <Button variant="default" loading={checklist.isFetching} onClick={() => void checklist.refetch()}>
            Check again
          </Button>
        </Group>
      </Stack>
      {isPreviewing && <PreviewLinks test={test} onClose={() => setIsPreviewing(false)} />}
    </Panel>
  );
}

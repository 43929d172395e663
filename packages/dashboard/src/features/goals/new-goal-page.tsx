import { Button, Stack } from '@mantine/core';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { DraftBar } from '../changes/draft-bar.tsx';
import { NewItemFields } from '../changes/new-item-fields.tsx';
import { useItemForm } from '../changes/use-item-form.ts';
import type { Goal } from '../configuration/configuration-types.ts';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { GoalFields } from './goal-fields.tsx';

type NewGoal = Omit<Goal, 'version'>;

const EMPTY: NewGoal = { id: '', name: '', kind: 'count', lowerIsBetter: false, target: null };

/** The form for a new goal; saving opens its page. */
export function NewGoalPage() {
  const navigate = usePropertyNavigate();
  const form = useItemForm<NewGoal>({ type: 'goal', item: EMPTY, page: 'goals' });
  return (
    <Page
      title="New goal"
      actions={
        <Button variant="default" onClick={() => navigate('goals')}>
          Back to goals
        </Button>
      }
    >
      <Panel title="Goal">
        <Stack gap="sm" maw={560}>
          <NewItemFields form={form} example="Purchases" />
          <GoalFields form={form} />
        </Stack>
      </Panel>
      <DraftBar draft={form.draft} onSave={() => void form.save()} blocked={form.blocked} />
    </Page>
  );
}

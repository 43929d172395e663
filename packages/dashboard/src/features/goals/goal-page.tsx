import { Alert, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { CopyAction } from '../../ui/copy-action.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { PeriodPicker } from '../../ui/period-picker.tsx';
import { TwoColumns } from '../../ui/two-columns.tsx';
import { usePeriod } from '../../ui/use-period.ts';
import { DeleteItemPanel } from '../changes/delete-item-panel.tsx';
import { DraftBar } from '../changes/draft-bar.tsx';
import { type ItemForm, useItemForm } from '../changes/use-item-form.ts';
import type { Goal } from '../configuration/configuration-types.ts';
import { ItemNotFound } from '../configuration/item-not-found.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { ItemHistory } from '../history/item-history.tsx';
import { ConversionList } from './conversion-list.tsx';
import { GoalChart, useGoalInterval } from './goal-chart.tsx';
import { GoalFields } from './goal-fields.tsx';
import { GoalPaceBar } from './goal-pace-bar.tsx';
import { progressQuery } from './goal-query.ts';
import { GoalSnippets } from './goal-snippets.tsx';
import { GoalTiles } from './goal-tiles.tsx';
import { goalUses } from './goal-uses.ts';

/** One goal. */
export function GoalPage() {
  const { key = '' } = useParams({ strict: false }) as { key?: string };
  const goal = useProperty().configuration.goals.find(({ id }) => id === key);
  if (goal !== undefined) return <GoalDetails key={key} stored={goal} />;
  return <ItemNotFound noun="goal" id={key} list="goals" listName="Back to the list" />;
}

function GoalDetails({ stored }: { stored: Goal }) {
  const { propertyId } = useProperty();
  const [period] = usePeriod();
  const form = useItemForm<Goal>({ type: 'goal', item: stored, page: 'goals' });
  const progress = useQuery(progressQuery(propertyId, stored.id, period, useGoalInterval(period)));
  const { current, previous } = progress.data ?? {};
  const isUnused = current?.increments === 0 && previous?.increments === 0;
  return (
    <Page
      title={stored.name}
      badges={
        <span className="dimmed">
          <code>{stored.id}</code> <CopyAction text={stored.id} label="Copy id" />
        </span>
      }
      description={<GoalPaceBar goal={stored} />}
      actions={
        <>
          <PeriodPicker />
          <PropertyLink to="goals">Back to the list</PropertyLink>
        </>
      }
    >
      {form.message && (
        <Alert color="blue" role="status" icon={<Icon name="info" />}>
          {form.message}
        </Alert>
      )}
      {isUnused && (
        <Panel title="Record this goal" hint="No conversions in this period and the one before.">
          <GoalSnippets goal={stored} />
        </Panel>
      )}
      <div>
        <GoalTiles goal={stored} query={progress} />
      </div>
      <GoalChart goal={stored} period={period} />
      <TwoColumns
        main={
          <Panel title="Latest conversions" flush>
            <ConversionList goalId={stored.id} period={period} />
          </Panel>
        }
        side={<GoalSide stored={stored} form={form} isUnused={isUnused} />}
      />
      <DraftBar draft={form.draft} onSave={() => void form.save()} blocked={form.blocked} />
    </Page>
  );
}

interface GoalSideProps {
  stored: Goal;
  form: ItemForm<Goal>;
  /** The snippet is shown above. */
  isUnused: boolean;
}

function GoalSide({ stored, form, isUnused }: GoalSideProps) {
  const { configuration } = useProperty();
  const { draft, errors, readOnly } = form;
  return (
    <>
      <Panel title="Definition">
        <Stack gap="sm">
          <TextInput
            label="Name"
            maxLength={256}
            value={draft.value.name}
            error={errors('/name')}
            disabled={readOnly !== undefined}
            onChange={(event) => draft.change({ name: event.currentTarget.value })}
          />
          <GoalFields form={form} />
        </Stack>
      </Panel>
      <DeleteItemPanel type="goal" item={stored} uses={goalUses(configuration, stored.id)} list="goals">
        Recorded conversions stay, but are no longer shown once the goal is deleted.
      </DeleteItemPanel>
      {!isUnused && (
        <Panel title="Record this goal">
          <GoalSnippets goal={stored} />
        </Panel>
      )}
      <Panel title="History">
        <ItemHistory type="goal" itemKey={stored.id} />
      </Panel>
    </>
  );
}

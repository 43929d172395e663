import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { PeriodPicker } from '../../ui/fields/period-picker.tsx';
import { usePeriod } from '../../ui/hooks/use-period.ts';
import { Panel } from '../../ui/page/panel.tsx';
import { TwoColumns } from '../../ui/page/two-columns.tsx';
import { DeleteItemPanel } from '../changes/delete-item-panel.tsx';
import { ItemNameField } from '../changes/item-name-field.tsx';
import { ItemPage } from '../changes/item-page.tsx';
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
    <ItemPage
      stored={stored}
      form={form}
      description={<GoalPaceBar goal={stored} />}
      actions={
        <>
          <PeriodPicker />
          <PropertyLink to="goals">Back to the list</PropertyLink>
        </>
      }
    >
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
    </ItemPage>
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
  return (
    <>
      <Panel title="Definition">
        <Stack gap="sm">
          <ItemNameField form={form} />
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

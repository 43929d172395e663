import { NewItemPage } from '../changes/new-item-page.tsx';
import { useItemForm } from '../changes/use-item-form.ts';
import type { Goal } from '../configuration/configuration-types.ts';
import { GoalFields } from './goal-fields.tsx';

type NewGoal = Omit<Goal, 'version'>;

const EMPTY: NewGoal = { id: '', name: '', kind: 'count', lowerIsBetter: false, target: null };

export function NewGoalPage() {
  const form = useItemForm<NewGoal>({ type: 'goal', item: EMPTY, page: 'goals' });
  return (
    <NewItemPage
      noun="Goal"
      form={form}
      example="Purchases"
      list="goals"
      fields={<GoalFields form={form} />}
    />
  );
}

import type { HarmedGoal } from '../report/harmed-goal.ts';
import { describeChange } from './effect-words.ts';
import { list, percent } from './numbers.ts';

/** Such as "Renewals got worse: 3.9 % → 3.1 %, -20 %, between -31 % and -9 %, margin 2 %". */
export const describeHarm = (goals: readonly HarmedGoal[], currency: string): string =>
  list(goals.map((goal) => `${goal.name} got worse: ${describeChange(goal, currency)}${margin(goal)}`));

const margin = ({ maxHarm }: HarmedGoal) => (maxHarm === null ? '' : `, margin ${percent(maxHarm)}`);

import { Page } from '../../ui/page.tsx';

export function GoalListPage() {
  return <Page title="Goals">{null}</Page>;
}

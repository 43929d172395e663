import { Page } from '../../ui/page.tsx';

export function GoalPage() {
  return <Page title="Goal">{null}</Page>;
}

import { Page } from '../../ui/page.tsx';

export function SessionListPage() {
  return <Page title="Sessions">{null}</Page>;
}

import { Page } from '../../ui/page.tsx';

export function SplitTestListPage() {
  return <Page title="Split tests">{null}</Page>;
}

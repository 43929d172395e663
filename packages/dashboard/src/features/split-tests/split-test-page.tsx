import { Page } from '../../ui/page.tsx';

export function SplitTestPage() {
  return <Page title="Split test">{null}</Page>;
}

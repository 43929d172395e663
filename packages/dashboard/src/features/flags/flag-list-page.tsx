import { Page } from '../../ui/page.tsx';

export function FlagListPage() {
  return <Page title="Flags">{null}</Page>;
}

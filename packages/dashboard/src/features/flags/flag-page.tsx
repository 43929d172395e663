import { Page } from '../../ui/page.tsx';

export function FlagPage() {
  return <Page title="Flag">{null}</Page>;
}

import { Page } from '../../ui/page.tsx';

export function KeyPage() {
  return <Page title="API keys">{null}</Page>;
}

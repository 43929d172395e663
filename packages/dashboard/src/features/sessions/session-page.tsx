import { Page } from '../../ui/page.tsx';

export function SessionPage() {
  return <Page title="Session">{null}</Page>;
}

import { Page } from '../../ui/page.tsx';

export function VisitorPage() {
  return <Page title="Visitor">{null}</Page>;
}

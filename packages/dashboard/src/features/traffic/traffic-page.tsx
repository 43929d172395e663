import { Page } from '../../ui/page.tsx';

export function TrafficPage() {
  return <Page title="Traffic">{null}</Page>;
}

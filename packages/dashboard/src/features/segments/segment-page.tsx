import { Page } from '../../ui/page.tsx';

export function SegmentPage() {
  return <Page title="Segment">{null}</Page>;
}

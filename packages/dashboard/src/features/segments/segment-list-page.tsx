import { Page } from '../../ui/page.tsx';

export function SegmentListPage() {
  return <Page title="Segments">{null}</Page>;
}

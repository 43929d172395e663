export { SegmentListPage } from './segment-list-page.tsx';
export { SegmentPage } from './segment-page.tsx';

export { MetricListPage } from './metric-list-page.tsx';
export { MetricPage } from './metric-page.tsx';

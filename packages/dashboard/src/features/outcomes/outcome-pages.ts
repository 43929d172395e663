export { GoalListPage } from '../goals/goal-list-page.tsx';
export { GoalPage } from '../goals/goal-page.tsx';
export { MetricListPage } from '../metrics/metric-list-page.tsx';
export { MetricPage } from '../metrics/metric-page.tsx';

export { GoalListPage } from './goal-list-page.tsx';
export { GoalPage } from './goal-page.tsx';

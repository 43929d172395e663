export { SessionListPage } from './session-list-page.tsx';
export { SessionPage } from './session-page.tsx';
export { VisitorPage } from './visitor-page.tsx';

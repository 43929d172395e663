export { SplitTestListPage } from './split-test-list-page.tsx';
export { SplitTestPage } from './split-test-page.tsx';

export { FlagListPage } from './flag-list-page.tsx';
export { FlagPage } from './flag-page.tsx';

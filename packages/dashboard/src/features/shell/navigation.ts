import type { IconName } from '../../ui/page/icon.tsx';

/** Pages of a property in the order of the navigation; `g` and the letter open it. */
export const NAVIGATION: readonly { path: string; label: string; icon: IconName; key: string }[] = [
  { path: 'overview', label: 'Overview', icon: 'overview', key: 'o' },
  { path: 'traffic', label: 'Traffic', icon: 'traffic', key: 't' },
  { path: 'split-tests', label: 'Split tests', icon: 'split-tests', key: 's' },
  { path: 'flags', label: 'Flags', icon: 'flags', key: 'f' },
  { path: 'segments', label: 'Segments', icon: 'segments', key: 'm' },
  { path: 'goals', label: 'Goals', icon: 'goals', key: 'g' },
  { path: 'metrics', label: 'Metrics', icon: 'metrics', key: 'r' },
  { path: 'feedback', label: 'Feedback', icon: 'feedback', key: 'b' },
  { path: 'sessions', label: 'Sessions', icon: 'sessions', key: 'e' },
  { path: 'keys', label: 'API keys', icon: 'keys', key: 'k' },
  { path: 'history', label: 'History', icon: 'history', key: 'h' },
  { path: 'settings', label: 'Settings', icon: 'settings', key: 'x' },
];

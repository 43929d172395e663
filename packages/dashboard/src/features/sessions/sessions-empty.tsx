import { EmptyState } from '../../ui/page/empty-state.tsx';
import { BrowserSnippet } from '../configuration/browser-snippet.tsx';

export function SessionsEmpty() {
  return (
    <EmptyState title="No sessions in this period" snippet={<BrowserSnippet />}>
      A session is one visit: its pages, the variations that were shown, goals and feedback, in order. Add
      this to your pages to record them, or choose a longer period.
    </EmptyState>
  );
}

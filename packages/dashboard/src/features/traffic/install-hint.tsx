import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Panel } from '../../ui/page/panel.tsx';
import { BrowserSnippet } from '../configuration/browser-snippet.tsx';

/** Without visits, the page says how to get some. */
export function InstallHint() {
  return (
    <Panel title="No visits in this period">
      <EmptyState title="Add the script to your pages" snippet={<BrowserSnippet />}>
        Each page that loads it counts as a page view, with its session, referrer and device. Nothing else is
        needed.
      </EmptyState>
    </Panel>
  );
}

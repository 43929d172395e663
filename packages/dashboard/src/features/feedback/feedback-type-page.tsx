import { Page } from '../../ui/page.tsx';

export function FeedbackTypePage() {
  return <Page title="Feedback type">{null}</Page>;
}

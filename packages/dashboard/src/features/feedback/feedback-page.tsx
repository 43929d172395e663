import { Page } from '../../ui/page.tsx';

export function FeedbackPage() {
  return <Page title="Feedback">{null}</Page>;
}

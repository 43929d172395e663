export { FeedbackPage } from './feedback-page.tsx';
export { FeedbackTypePage } from './feedback-type-page.tsx';

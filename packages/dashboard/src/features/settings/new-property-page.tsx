import { Page } from '../../ui/page.tsx';

export function NewPropertyPage() {
  return <Page title="New property">{null}</Page>;
}

import { TextInput } from '@mantine/core';
import type { WebhookEventType } from '@switchyard/core/api/webhooks';
import { Check } from '../../../ui/fields/check.tsx';
import { OptionList } from '../../../ui/fields/option-list.tsx';
import { EVENTS } from './webhook-words.ts';

export interface WebhookForm {
  name: string;
  url: string;
  events: WebhookEventType[];
  enabled: boolean;
}

/** What is wrong, by field; the server checks the same again. */
export function webhookProblems({ url, events }: WebhookForm) {
  const isUrl = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  return {
    url: isUrl ? undefined : 'Enter a URL that starts with https:// or http://',
    events: events.length === 0 ? 'Choose at least one event' : undefined,
  };
}

interface WebhookFieldsProps {
  value: WebhookForm;
  onChange: (changes: Partial<WebhookForm>) => void;
}

export function WebhookFields({ value, onChange }: WebhookFieldsProps) {
  const problems = webhookProblems(value);
  return (
    <>
      <TextInput
        label="Name"
        maxLength={256}
        data-autofocus
        value={value.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <TextInput
        label="URL"
        type="url"
        maxLength={2048}
        placeholder="https://shop.example/webhooks/switchyard"
        value={value.url}
        error={value.url === '' ? undefined : problems.url}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      <OptionList
        isMultiple
        label="Events"
        description="What is sent to the URL"
        options={EVENTS}
        value={value.events}
        error={problems.events}
        onChange={(events) => onChange({ events })}
      />
      <Check
        kind="switch"
        label="Enabled"
        description="While it is disabled, no events are recorded for it"
        checked={value.enabled}
        onChange={(isOn) => onChange({ enabled: isOn })}
      />
    </>
  );
}

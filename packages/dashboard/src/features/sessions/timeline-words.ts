import type { SessionDetail } from '@switchyard/core/api/sessions';
import { formatMoney } from '../../ui/format/format.ts';
import type { Configuration } from '../configuration/configuration-types.ts';
import { findReported } from '../split-tests/reported-tests.ts';
import { pagePath } from './page-path.ts';

export type TimelineEntry = SessionDetail['timeline'][number];

interface Words {
  title: string;
  detail?: string | undefined;
}

const listed = (values: Record<string, unknown> | undefined): string | undefined => {
  const entries = Object.entries(values ?? {});
  return entries.length === 0
    ? undefined
    : entries.map(([name, value]) => `${name}: ${text(value)}`).join(' · ');
};

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** An entry of a timeline for people. */
export function describeEntry(entry: TimelineEntry, configuration: Configuration): Words {
  switch (entry.type) {
    case 'pageview':
      return { title: `Viewed ${pagePath(entry.url ?? '')}`, detail: entry.title };
    case 'exposure':
      return {
        title: `Saw “${entry.variationKey}” of ${testName(entry.splitTestKey!, configuration)}`,
        detail: listed(entry.attributes),
      };
    case 'goal':
      return { title: goalWords(entry, configuration), detail: listed(entry.metadata) };
    case 'feedback':
      return { title: feedbackWords(entry, configuration), detail: entry.message };
    case 'identify':
      return { title: 'Was identified', detail: listed(entry.properties) };
    default:
      return { title: `Event “${entry.name ?? entry.type}”`, detail: listed(entry.properties) };
  }
}

const testName = (key: string, configuration: Configuration) => findReported(configuration, key)?.name || key;

function goalWords({ goalId, count, amount = 0 }: TimelineEntry, configuration: Configuration): string {
  const name = configuration.goals.find(({ id }) => id === goalId)?.name ?? goalId;
  const currency = configuration.property.displayCurrency ?? 'USD';
  const money = amount === 0 ? '' : ` ${formatMoney(Math.abs(amount), currency)}`;
  return count === -1 ? `Refund or reversal of ${name}${money}` : `Goal ${name}${money}`;
}

function feedbackWords({ feedbackTypeId, option }: TimelineEntry, { feedbackTypes }: Configuration): string {
  const type = feedbackTypes.find(({ id }) => id === feedbackTypeId);
  const found = type?.options.find((each) => (typeof each === 'string' ? each : each.value) === option);
  const label = typeof found === 'object' ? (found.label ?? found.value) : option;
  return `Feedback ${type?.name ?? feedbackTypeId}${label ? `: ${label}` : ''}`;
}

import type { ProvisionedFeedbackType } from '@switchyard/core/api/provisioning';
import { reportRepeated } from '../../configuration/definitions/repeated-entries.ts';
import type { RuleContext } from '../../configuration/definitions/rule-context.ts';
import type { FeedbackType } from '../../configuration/property/property-configuration.ts';
import { optionValue, stylesOf } from './feedback-options.ts';

type Context = Pick<RuleContext, 'mode' | 'report'>;

/** The feedback types of the candidate, complete. */
export function resolveFeedbackTypes(
  entries: readonly ProvisionedFeedbackType[],
  stored: readonly FeedbackType[],
  context: Context,
): FeedbackType[] {
  reportRepeated(entries, 'id', '/feedbackTypes', context.report);
  return entries.map((entry, index) => {
    const known = stored.find(({ id }) => id === entry.id);
    return resolveFeedbackType(entry, known, `/feedbackTypes/${index}`, context);
  });
}

function resolveFeedbackType(
  entry: ProvisionedFeedbackType,
  known: FeedbackType | undefined,
  path: string,
  { mode, report }: Context,
): FeedbackType {
  const base = mode === 'merge' ? known : undefined;
  const options = entry.options?.map(optionValue) ?? base?.options ?? [];
  for (const [index, option] of options.entries()) {
    if (options.indexOf(option) < index) {
      report(`${path}/options/${index}`, `"${option}" is already in this list`);
    }
  }
  return {
    id: entry.id,
    name: entry.name ?? base?.name ?? entry.id,
    options,
    optionStyles: entry.options === undefined ? (base?.optionStyles ?? {}) : stylesOf(entry.options),
    textInput: entry.textInput ?? base?.textInput ?? false,
    version: known?.version ?? 0,
  };
}

import { type ChangeWords, field, members, objectOf, optional, texts, toggle } from './change-words.ts';
import { conditionWords, matchWords } from './condition-words.ts';
import { identify, listChanges } from './list-changes.ts';
import { isMissing, listWords, percentWords, quoted, shareWords, valueWords } from './value-words.ts';

type Words = Readonly<Record<string, ChangeWords | null>>;

const days = (value: unknown) => (isMissing(value) ? 'forever' : `${value} days`);

const origins: ChangeWords = (change) =>
  isMissing(change.from) || isMissing(change.to)
    ? field('Allowed origins', (value) => (isMissing(value) ? 'any' : valueWords(value)))(change)
    : texts('Allowed origins')(change);

const prior = (value: unknown) => {
  if (isMissing(value)) return 'learnt from finished tests';
  const { mean, sd } = objectOf(value);
  return `effect of ${shareWords(mean)}, give or take ${shareWords(sd)}`;
};

const statistics = members({
  engine: field('Method'),
  spending: field('Looking early at planned tests'),
  alpha: field('Accepted false positives', shareWords),
  sequentialN: field('Usual size of a test'),
  correction: field('Correction for several goals and variations'),
  cuped: toggle('Uses data from before the test', 'No longer uses data from before the test'),
  preDays: field('Days before the test that are used'),
  winsorize: field('Amounts are capped at the quantile', shareWords),
  prior: optional(
    field('Earlier experience', prior),
    members({
      mean: field('Expected effect', shareWords),
      sd: field('Uncertainty of the expected effect', shareWords),
    }),
  ),
  stratify: field('Compares visitors of the same'),
  shipWithOpenGuardrails: toggle(
    'Can say "ship" while a guardrail does not have enough data',
    'Says "ship" only when all guardrails have enough data',
  ),
});

const presetName = (value: unknown) => (isMissing(value) ? 'none' : String(value).toUpperCase());

const privacy = members({
  allowedParameters: texts('Recorded query parameters'),
  maskValues: ({ to }) => [
    to === true
      ? 'Masks email addresses, tokens and card numbers'
      : 'No longer masks email addresses, tokens and card numbers',
  ],
  preset: field('Privacy preset', presetName),
});

export const PROPERTY_WORDS: Words = {
  name: field('Name', quoted),
  displayCurrency: field('Currency'),
  timeZone: field('Time zone'),
  retentionDays: field('Keeps events', days),
  allowedOrigins: origins,
  holdout: field('Holdout', percentWords),
  privacy,
  statistics,
  aaTest: field('A/A test'),
  hashSeed: field('Seed'),
};

export const ENVIRONMENT_WORDS: Words = {
  name: field('Name', quoted),
  protected: toggle('Protected: changes by editors need an approval', 'No longer protected'),
};

function target(value: unknown): string {
  if (isMissing(value)) return 'none';
  const { value: amount, period } = objectOf(value);
  return `${valueWords(amount)} per ${period}`;
}

export const GOAL_WORDS: Words = {
  name: field('Name', quoted),
  kind: field('Kind'),
  lowerIsBetter: toggle('Less is better', 'More is better'),
  target: optional(
    field('Target', target),
    members({ value: field('Target'), period: field('Period of the target') }),
  ),
};

const options: ChangeWords = ({ from, to, isNew, names }) => {
  if (isNew) return field('Options', optionNames)({ from, to, isNew, names });
  const { pairs, order } = listChanges(from, to, 'value');
  const lines = pairs.flatMap(({ before, after }) => {
    if (before === undefined) return after ? [`Option ${optionName(after.value)} added`] : [];
    const name = optionName(before.value);
    if (after === undefined) return [`Option ${name} removed`];
    const style = members({
      value: null,
      label: field(`Label of option ${name}`, quoted),
      color: field(`Color of option ${name}`),
    });
    return style({ from: before.value, to: after.value, isNew: false, names });
  });
  return order.all ? [...lines, `Order of the options: ${optionNames(from)} → ${optionNames(to)}`] : lines;
};

const optionName = (option: unknown) => quoted(identify(option, 'value'));
const optionNames = (list: unknown) => (Array.isArray(list) ? listWords(list, optionName) : valueWords(list));

export const FEEDBACK_TYPE_WORDS: Words = {
  name: field('Name', quoted),
  options,
  textInput: toggle('Visitors can add a text', 'Visitors cannot add a text any more'),
};

export const SEGMENT_WORDS: Words = {
  name: field('Name', quoted),
  match: matchWords(''),
  conditions: conditionWords(''),
};

export const WEBHOOK_WORDS: Words = {
  name: field('Name', quoted),
  url: field('Address'),
  events: texts('Events'),
  enabled: ({ to }) => [to === true ? 'Switched on' : 'Switched off'],
};

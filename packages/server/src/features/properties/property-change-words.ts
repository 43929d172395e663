import {
  type ChangeWords,
  field,
  members,
  objectOf,
  optional,
  texts,
  toggle,
  type Words,
} from '../../configuration/words/change-words.ts';
import {
  isMissing,
  percentWords,
  quoted,
  shareWords,
  valueWords,
} from '../../configuration/words/value-words.ts';

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
  recordEvaluations: ({ to }) => [
    to === true
      ? 'Records evaluations of measured flags'
      : 'Records evaluations of measured flags only on request',
  ],
  hashSeed: field('Seed'),
};

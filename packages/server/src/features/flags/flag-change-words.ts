import type { Rule } from '@switchyard/core/api/targeting';
import { memberOf } from '@switchyard/core/merge/json-value';
import { ruleSentence, servedValues } from '@switchyard/core/words/rule-sentence';
import {
  type ChangeWords,
  field,
  members,
  type Names,
  nameIn,
  objectOf,
  optional,
  texts,
  type Words,
} from '../../configuration/words/change-words.ts';
import { conditionWords, matchWords } from '../../configuration/words/condition-words.ts';
import { type ListItem, listChanges } from '../../configuration/words/list-changes.ts';
import { outcomeWords } from '../../configuration/words/outcome-words.ts';
import {
  capital,
  cut,
  isMissing,
  labelOf,
  listWords,
  percentWords,
  quoted,
  timeWords,
  valueWords,
} from '../../configuration/words/value-words.ts';

const MAX_SENTENCE_LENGTH = 300;
const MAX_CONDITIONS = 5;

const environmentWords: ChangeWords = ({ from, to, isNew, names }) => {
  const [before, after] = [objectOf(from), objectOf(to)];
  const ids = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...ids].flatMap((id) => {
    const place = nameIn(names.environments, id);
    const [old, current] = [memberOf(before, id), memberOf(after, id)];
    if (isMissing(current)) return isMissing(old) ? [] : [`${place}: configuration removed`];
    const change = { from: old, to: current, isNew: isNew || isMissing(old), names };
    return configurationWords(place)(change);
  });
};

const configurationWords = (place: string) =>
  members(
    {
      id: null,
      // Follows from everything else.
      measured: null,
      enabled: ({ to }) => [`${place}: switched ${to === true ? 'on' : 'off'}`],
      value: field(`${place}, when no rule matches`),
      prerequisites: prerequisiteWords(place),
      rules: rulesWords(place),
    },
    (name) => field(`${place}, ${labelOf(name).toLowerCase()}`),
  );

const prerequisiteWords =
  (place: string): ChangeWords =>
  ({ from, to }) => {
    const { pairs, order } = listChanges(from, to, 'flag');
    const wanted = (item: ListItem) => valueWords(objectOf(item.value).value);
    const nameOf = ({ value, position }: ListItem) => objectOf(value).flag ?? position;
    const lines = pairs.flatMap(({ before, after }) => {
      if (before === undefined)
        return after ? [`${place}: prerequisite added: ${nameOf(after)} is ${wanted(after)}`] : [];
      if (after === undefined)
        return [`${place}: prerequisite removed: ${nameOf(before)} is ${wanted(before)}`];
      const [old, current] = [wanted(before), wanted(after)];
      return old === current ? [] : [`${place}, prerequisite ${nameOf(before)}: ${old} → ${current}`];
    });
    return order.kept ? [...lines, `${place}: prerequisites reordered`] : lines;
  };

const rulesWords =
  (place: string): ChangeWords =>
  ({ from, to, names }) => {
    const { pairs, order } = listChanges(from, to, 'id');
    const lines = pairs.flatMap(({ before, after }) => {
      if (before === undefined)
        return after ? [`${capital(ruleName(after))} added in ${place}: ${inShort(after, names)}`] : [];
      if (after === undefined)
        return [`${capital(ruleName(before))} removed in ${place}: ${inShort(before, names)}`];
      const name = ruleName({ ...before, position: after.position });
      return ruleWords(`${place}, ${name}`)({ from: before.value, to: after.value, isNew: false, names });
    });
    if (!order.kept) return lines;
    const kept = pairs.flatMap(({ before, after }) => (before && after ? [{ before, after }] : []));
    const reordered = kept.toSorted((a, b) => a.after.position - b.after.position);
    const orders = [kept, reordered].map((list) =>
      listWords(
        list.map(({ before }) => ruleName(before)),
        String,
      ),
    );
    return [...lines, `Order of the rules in ${place}: ${orders.join(' → ')}`];
  };

/** `rule 1 (“Beta users”)` */
function ruleName({ value, position }: ListItem): string {
  const { name } = objectOf(value);
  return name ? `rule ${position} (${quoted(name)})` : `rule ${position}`;
}

function inShort({ value }: ListItem, { segments = [] }: Names): string {
  const text = ruleSentence(value as Rule, {
    segments,
    time: timeWords,
    percent: percentWords,
    maxConditions: MAX_CONDITIONS,
  });
  const { enabled, measure } = objectOf(value);
  const state = enabled === false ? ' (off)' : '';
  const measured = isMissing(measure) ? '' : ', measured';
  return cut(text.charAt(0).toLowerCase() + text.slice(1), MAX_SENTENCE_LENGTH) + measured + state;
}

const ruleWords = (place: string) =>
  members(
    {
      id: null,
      name: field(`${place}, name`, quoted),
      // On by default.
      enabled: ({ from, to }) =>
        (from !== false) === (to !== false) ? [] : [`${place}: switched ${to === false ? 'off' : 'on'}`],
      match: matchWords(place),
      conditions: conditionWords(place),
      rollout: rolloutWords(place),
      value: servedWords(place),
      split: splitWords(place),
      measure: measureWords(place),
    },
    (name) => field(`${place}, ${labelOf(name).toLowerCase()}`),
  );

/** A value that a split replaces, or that replaces one, is told with the split. */
const servedWords =
  (place: string): ChangeWords =>
  ({ from, to }) =>
    isMissing(from) || isMissing(to) ? [] : [`${place}: serves ${valueWords(from)} → ${valueWords(to)}`];

/** `Production, rule 1: serves a (50 %) or b (50 %) → a (80 %) or b (20 %)` */
const splitWords =
  (place: string): ChangeWords =>
  ({ from, to }) =>
    isWhole(from) && isWhole(to)
      ? [`${place}: serves ${wholeSplit(from)} → ${wholeSplit(to)}`]
      : [`${place}: split changed`];

/** Of a change that is only known by its pointers, a list is an object with what changed. */
const isWhole = (split: unknown): boolean => isMissing(split) || Array.isArray(split);

const wholeSplit = (split: unknown): string =>
  isMissing(split) ? 'one value' : servedValues({ split } as Rule, { percent: percentWords });

/** `Production, rule 1: measured by Sign-ups, Orders, guardrails Refunds (harm of at most 2 %)` */
const measureWords =
  (place: string): ChangeWords =>
  ({ from, to, names }) => {
    if (isMissing(to)) return isMissing(from) ? [] : [`${place}: no longer measured`];
    const { goals, guardrails, plannedVisitors, smallestEffect } = objectOf(to);
    if (!Array.isArray(goals)) return [`${place}: what it is measured by changed`];
    const parts = [
      `measured by ${outcomeWords(goals, names)}`,
      ...(isMissing(guardrails) ? [] : [`guardrails ${outcomeWords(guardrails, names)}`]),
      ...(isMissing(plannedVisitors) ? [] : [`planned for ${valueWords(plannedVisitors)} visitors`]),
      ...(isMissing(smallestEffect) ? [] : [`smallest effect ${percentWords(Number(smallestEffect) * 100)}`]),
    ];
    return [`${place}: ${parts.join(', ')}`];
  };

/** `Production, rule 1: rollout 10 % → 25 %` */
function rolloutWords(place: string): ChangeWords {
  const part = (name: string, words: (value: unknown, names: Names) => string): ChangeWords => {
    return ({ from, to, names }) => [`${place}: ${name} ${words(from, names)} → ${words(to, names)}`];
  };
  const parts = members(
    {
      percentage: part('rollout', percentWords),
      by: part('rollout by', (value) => (isMissing(value) ? 'the first id' : valueWords(value))),
      salt: part('salt of the rollout', valueWords),
      schedule: part('schedule of the rollout', scheduleWords),
      guardrails: part('guardrails of the rollout', outcomeWords),
      minVisitors: part('visitors that a step of the rollout waits for', valueWords),
      maxWaitDays: part('days that a step of the rollout waits', valueWords),
    },
    (name) => part(`${labelOf(name).toLowerCase()} of the rollout`, valueWords),
  );
  return optional(part('rollout', wholeRollout), parts);
}

/** Without a rollout, a rule is for everybody whom it matches. */
function wholeRollout(rollout: unknown, names: Names): string {
  if (isMissing(rollout)) return 'everyone';
  const { percentage, by, schedule, guardrails } = objectOf(rollout);
  const attribute = isMissing(by) ? '' : ` by ${valueWords(by)}`;
  return (
    percentWords(percentage) +
    attribute +
    (isMissing(schedule) ? '' : `, ${scheduleWords(schedule)}`) +
    (isMissing(guardrails) ? '' : `, guardrails ${outcomeWords(guardrails, names)}`)
  );
}

function scheduleWords(steps: unknown): string {
  if (!Array.isArray(steps)) return valueWords(steps);
  return listWords(steps, (step) => {
    const { at, percentage } = objectOf(step);
    return `${percentWords(percentage)} from ${timeWords(at)}`;
  });
}

/** Schemas are long. */
const schemaWords: ChangeWords = ({ from, to }) => [
  `Schema of the values ${isMissing(from) ? 'added' : isMissing(to) ? 'removed' : 'changed'}`,
];

export const FLAG_WORDS: Words = {
  key: null,
  name: field('Name', quoted),
  description: field('Description', quoted),
  owner: field('Owner'),
  tags: texts('Tags'),
  type: field('Type'),
  format: field('Format'),
  schema: schemaWords,
  defaultValue: field('Value while off'),
  environments: environmentWords,
};

import {
  type ChangeWords,
  field,
  members,
  objectOf,
  optional,
  texts,
  type Words,
} from '../../configuration/words/change-words.ts';
import { conditionWords, matchWords } from '../../configuration/words/condition-words.ts';
import { type ListItem, listChanges } from '../../configuration/words/list-changes.ts';
import { outcomeWords } from '../../configuration/words/outcome-words.ts';
import {
  isMissing,
  listWords,
  percentWords,
  quoted,
  shareWords,
  timeWords,
  valueWords,
} from '../../configuration/words/value-words.ts';

const variationWords: ChangeWords = ({ from, to, isNew, names }) => {
  const { pairs, order } = listChanges(from, to, 'key');
  const lines = pairs.flatMap(({ before, after }) => {
    if (before === undefined) return after ? [addedVariation(after, isNew)] : [];
    const name = variationName(before);
    if (after === undefined) return [`Variation ${name} removed`];
    const parts = members({
      key: field(`Key of variation ${name}`, quoted),
      weight: field(`Weight of variation ${name}`),
      value: field(`Value of variation ${name}`, quoted),
      retired: ({ to }) => [`Variation ${name} ${to === true ? 'retired' : 'is back'}`],
    });
    return parts({ from: before.value, to: after.value, isNew: false, names });
  });
  if (!order.all) return lines;
  const orders = [from, to].map((list) => listWords(list as unknown[], (each) => quoted(objectOf(each).key)));
  return [...lines, `Order of the variations: ${orders.join(' → ')}`];
};

const variationName = ({ value, position }: ListItem): string => {
  const { key } = objectOf(value);
  return isMissing(key) ? String(position) : quoted(key);
};

function addedVariation(item: ListItem, isNew: boolean): string {
  const { weight = 1 } = objectOf(item.value);
  const name = `Variation ${variationName(item)}`;
  return isNew ? `${name}: weight ${weight}` : `${name} added with weight ${weight}`;
}

function exclusionWords(slot: unknown): string {
  if (isMissing(slot)) return 'none';
  const { group, share } = objectOf(slot);
  return `${valueWords(group)} with ${percentWords(share)} of the visitors`;
}

const slotWords = members({
  group: field('Exclusion group'),
  share: field('Share in the exclusion group', percentWords),
  from: field('Start of the slot in the exclusion group', percentWords),
  to: field('End of the slot in the exclusion group', percentWords),
});

const audienceParts = members({ match: matchWords('Audience'), conditions: conditionWords('Audience') });

const audienceWords: ChangeWords = (change) => {
  if (isMissing(change.to)) return isMissing(change.from) ? [] : ['Audience: all visitors'];
  return audienceParts(change);
};

function decisionWords(decision: unknown): string {
  if (isMissing(decision)) return 'none';
  const { outcome, reason } = objectOf(decision);
  return `${valueWords(outcome)}${reason ? ` (${quoted(reason)})` : ''}`;
}

const decisionParts = members({
  outcome: field('Decision'),
  reason: field('Reason of the decision', quoted),
  decidedAt: field('Time of the decision', timeWords),
});

const unit = field('Counts', (value) => (value === 'user' ? 'users' : 'visitors'));

/** A new test counts visitors unless it says something else. */
const unitWords: ChangeWords = (change) => (change.isNew && change.to !== 'user' ? [] : unit(change));

const days = (value: unknown) => (isMissing(value) ? 'none' : `${value} ${value === 1 ? 'day' : 'days'}`);

export const SPLIT_TEST_WORDS: Words = {
  key: null,
  status: field('Status'),
  name: field('Name', quoted),
  description: field('Description', quoted),
  hypothesis: field('Hypothesis', quoted),
  owner: field('Owner'),
  tags: texts('Tags'),
  type: field('Type'),
  trafficAllocation: field('Traffic', percentWords),
  variations: variationWords,
  audience: audienceWords,
  goals: field('Goals', outcomeWords),
  guardrails: field('Guardrails', outcomeWords),
  onHarm: field('If a variation does harm', (value) => (value === 'stop' ? 'stop it' : 'notify')),
  exclusion: optional(field('Exclusion group', exclusionWords), slotWords),
  startAt: field('Starts', timeWords),
  stopAt: field('Stops', timeWords),
  winner: field('Winner', quoted),
  decision: optional(field('Decision', decisionWords), decisionParts),
  attributionDays: field('Conversions count after the end for', days),
  plannedVisitors: field('Planned visitors'),
  smallestEffect: field('Smallest effect worth detecting', shareWords),
  unit: unitWords,
  hashSeed: field('Seed'),
};

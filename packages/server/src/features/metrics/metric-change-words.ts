import {
  type ChangeWords,
  field,
  type Names,
  nameIn,
  objectOf,
  texts,
  toggle,
  type Words,
} from '../../configuration/words/change-words.ts';
import { isMissing, listWords, quoted, valueWords } from '../../configuration/words/value-words.ts';

const goal = (id: unknown, { goals }: Names): string => (isMissing(id) ? 'none' : nameIn(goals, String(id)));

/** `amounts of Revenue`, `Sign-ups`, `views of /checkout*` */
function part(value: unknown, names: Names): string {
  if (isMissing(value)) return 'none';
  const { goalId, of, path, event } = objectOf(value);
  if (!isMissing(goalId)) return of === 'sum' ? `amounts of ${goal(goalId, names)}` : goal(goalId, names);
  return isMissing(path) ? `event ${quoted(event)}` : `page ${valueWords(path)}`;
}

const steps = (value: unknown, names: Names) =>
  Array.isArray(value) ? listWords(value, (each) => part(each, names)) : valueWords(value);

const days = (value: unknown) =>
  isMissing(value) ? 'until the end' : `${value} ${value === 1 ? 'day' : 'days'}`;

/** What a new metric has anyway is not worth a line. */
const unlessNew =
  (usual: unknown, words: ChangeWords): ChangeWords =>
  (change) =>
    change.isNew && (change.to ?? null) === usual ? [] : words(change);

export const METRIC_WORDS: Words = {
  name: field('Name', quoted),
  kind: field('Kind'),
  description: field('Description', quoted),
  tags: texts('Tags'),
  goalId: field('Goal', goal),
  numerator: field('Numerator', part),
  denominator: field('Denominator', part),
  fromDay: field('First day after the exposure'),
  toDay: field('Last day after the exposure'),
  steps: field('Steps', steps),
  quantile: field('Quantile'),
  path: unlessNew(
    null,
    field('Page', (path) => (isMissing(path) ? 'any' : valueWords(path))),
  ),
  event: field('Event', quoted),
  property: field('Property of the event', quoted),
  of: unlessNew('visitors', field('Measures')),
  withinDays: unlessNew(null, field('Counts after the exposure', days)),
  lowerIsBetter: toggle('Less is better', 'More is better'),
  cap: field('Cap per visitor'),
  format: field('Format'),
};

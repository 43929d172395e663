import {
  type ChangeWords,
  field,
  members,
  toggle,
  type Words,
} from '../../configuration/words/change-words.ts';
import { identify, listChanges } from '../../configuration/words/list-changes.ts';
import { listWords, quoted, valueWords } from '../../configuration/words/value-words.ts';

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

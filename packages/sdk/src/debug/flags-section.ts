import type { ClientState } from './client-state.ts';
import { element } from './elements.ts';
import { flagReasonWords, flagValueWords } from './flag-observer.ts';

/** The flags that the page has read, and the others that the relay lists. Nothing in pages without flags. */
export function flagsSection({ flags, listedFlags }: ClientState): Node[] {
  const unread = Object.entries(listedFlags ?? {}).filter(([key]) => !flags.has(key));
  const rows = [
    ...[...flags.values()].map(({ key, value, reason }) => flagRow(key, value, reason, false)),
    ...unread.map(([key, flag]) => flagRow(key, flag?.value, flagReasonWords(flag ?? {}), true)),
  ];
  return rows.length > 0 ? [element('h2', {}, 'Flags'), element('ul', {}, ...rows)] : [];
}

function flagRow(key: string, value: unknown, reason: string, isUnread: boolean): HTMLElement {
  return element(
    'li',
    {},
    element(
      'div',
      { class: 'row' },
      element('b', { class: 'text' }, key),
      element('span', { class: 'chip' }, flagValueWords(value)),
      isUnread && element('span', { class: 'chip end' }, 'not read'),
    ),
    element('p', { class: 'muted' }, reason),
  );
}

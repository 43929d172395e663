import type { ClientState } from './client-state.ts';
import { describeTests, type ShownTest } from './describe-tests.ts';
import { element } from './elements.ts';

/** Every test with the variation of the visitor, why, and whether the exposure is recorded. */
export function testsSection(state: ClientState): Node[] {
  const title = element('h2', {}, 'Split tests');
  if (!state.definitions) {
    const why = state.consent ? 'The definitions are not loaded yet.' : 'Tests return their fallback.';
    return [title, element('p', { class: 'muted' }, why)];
  }
  const rows = describeTests(state).map((test) => testRow(state, test));
  return [
    title,
    rows.length > 0 ? element('ul', {}, ...rows) : element('p', { class: 'muted' }, 'No running test.'),
  ];
}

const EXPOSURES = {
  recorded: { words: 'exposure recorded', look: ' good' },
  earlier: { words: 'exposure recorded before', look: ' good' },
  server: { words: 'exposure recorded by the server', look: ' good' },
  none: { words: 'no exposure', look: '' },
  unread: { words: 'not read', look: '' },
  unknown: { words: 'unknown', look: ' bad' },
};
/** Never recorded. */
const PREVIEW = { words: 'preview', look: ' bad' };

function testRow(state: ClientState, test: ShownTest): HTMLElement {
  const { testKey, variationKey, reason, exposure, isPreview } = test;
  const { words, look } = isPreview ? PREVIEW : EXPOSURES[exposure];
  return element(
    'li',
    {},
    element(
      'div',
      { class: 'row' },
      element('b', { class: 'text' }, testKey),
      variationKey !== undefined && element('span', { class: 'chip' }, variationKey),
      element('span', { class: `chip end${look}` }, words),
    ),
    reason !== '' && element('p', { class: 'muted' }, reason),
    previewLinks(state, testKey, isPreview ? variationKey : undefined),
  );
}

/** Links that show another variation, without recording it. */
function previewLinks({ definitions }: ClientState, testKey: string, current: string | undefined): Node {
  const test = definitions?.config.tests.find(({ key }) => key === testKey);
  const links = (test?.variations ?? []).map(({ key }) => {
    const attributes = { href: previewUrl(testKey, key), ...(key === current && { 'aria-current': 'true' }) };
    return element('a', attributes, key);
  });
  if (links.length === 0) return element('span');
  const end = current !== undefined && element('a', { href: previewUrl(testKey, undefined) }, 'end preview');
  return element('div', { class: 'row wrap' }, element('span', { class: 'muted' }, 'Preview'), ...links, end);
}

function previewUrl(testKey: string, variationKey: string | undefined): string {
  const url = new URL(location.href);
  if (variationKey === undefined) url.searchParams.delete(`sy_${testKey}`);
  else url.searchParams.set(`sy_${testKey}`, variationKey);
  return url.href;
}

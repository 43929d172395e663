import type { ClientState, SentRequest } from './client-state.ts';
import { button, element } from './elements.ts';
import { flagsSection } from './flags-section.ts';
import { OVERLAY_STYLE } from './overlay-style.ts';
import { testsSection } from './tests-section.ts';

const SHOWN_REQUESTS = 12;

/** Shows the state in a corner of the page, and returns a function that shows its changes. */
export function showOverlay(state: ClientState): () => void {
  const host = element('div', { id: 'switchyard-debug' });
  // The styles of the page and of the overlay must not meet.
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(OVERLAY_STYLE);
  root.adoptedStyleSheets = [sheet];
  const body = element('div', { class: 'body', tabindex: '0', role: 'group', 'aria-label': 'Details' });
  const panel = element('aside', { 'aria-label': 'Switchyard debugging' }, headerFor(state, host), body);
  panel.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') host.remove();
  });
  root.append(panel);
  document.body.append(host);

  const sections = [visitSection, testsSection, flagsSection, deliverySection, requestsSection].map(
    (create) => ({
      create,
      shown: element('section'),
    }),
  );
  const warnings = element('div', { role: 'status' });
  body.append(warnings, ...sections.map(({ shown }) => shown));
  const render = () => {
    replaceIfChanged(warnings, warningsFor(state));
    for (const { create, shown } of sections) replaceIfChanged(shown, create(state));
  };
  render();
  return render;
}

/** Leaves an unchanged section alone, so that it keeps focus and selection. */
function replaceIfChanged(shown: HTMLElement, children: Node[]): void {
  const next = element('div', {}, ...children);
  if (next.innerHTML !== shown.innerHTML) shown.replaceChildren(...next.childNodes);
}

function headerFor({ propertyId }: ClientState, host: HTMLElement): HTMLElement {
  const toggle = button(
    '–',
    () => {
      const isSmall = toggle.closest('aside')!.classList.toggle('small');
      toggle.setAttribute('aria-expanded', String(!isSmall));
      toggle.textContent = isSmall ? '+' : '–';
    },
    'Details',
  );
  toggle.setAttribute('aria-expanded', 'true');
  return element(
    'header',
    {},
    element('h1', {}, 'Switchyard ', element('small', {}, propertyId)),
    toggle,
    button('✕', () => host.remove(), 'Close'),
  );
}

const warningsFor = ({ warnings }: ClientState): Node[] =>
  warnings.size === 0
    ? []
    : [element('ul', { class: 'warnings' }, ...[...warnings].map((text) => element('li', {}, text)))];

function visitSection({ visitorId, sessionId, consent }: ClientState): Node[] {
  const chip = consent
    ? element('span', { class: 'chip good' }, 'consent granted')
    : element('span', { class: 'chip bad' }, 'no consent: nothing is stored or sent');
  return [
    element('h2', {}, 'Visit'),
    element('ul', {}, idRow('Visitor', visitorId), idRow('Session', sessionId), element('li', {}, chip)),
  ];
}

function idRow(name: string, id: string | undefined): HTMLElement {
  if (id === undefined) return element('li', { class: 'muted' }, `${name}: none`);
  const copy = button('Copy', (clicked) => void copyText(id, clicked), `Copy the ${name.toLowerCase()} id`);
  copy.classList.add('end');
  return element('li', { class: 'row id' }, element('span', {}, name), element('code', {}, id), copy);
}

async function copyText(text: string, clicked: HTMLButtonElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    clicked.textContent = 'Copied';
  } catch {
    // Only pages with TLS may use the clipboard.
    getSelection()?.selectAllChildren(clicked.previousElementSibling!);
  }
}

const time = (at: number) => new Date(at).toLocaleTimeString();

function deliverySection({ pending, lastError, nextRetryAt }: ClientState): Node[] {
  const batches = [...pending.values()];
  const summary = batches.length === 0 ? 'Nothing pending' : `${batches.length} pending`;
  return [
    element('h2', {}, 'Queue'),
    element(
      'ul',
      {},
      element('li', {}, element('span', { class: `chip${batches.length === 0 ? ' good' : ''}` }, summary)),
      ...batches.map(({ what, attempts }) =>
        element(
          'li',
          {},
          what,
          element('span', { class: 'muted' }, ` · ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`),
        ),
      ),
      ...(lastError ? [element('li', {}, element('b', {}, 'Last error '), lastError)] : []),
      ...(lastError && nextRetryAt ? [element('li', {}, `Next attempt at ${time(nextRetryAt)}`)] : []),
    ),
  ];
}

function requestsSection({ sent }: ClientState): Node[] {
  const rows = sent.slice(-SHOWN_REQUESTS).reverse().map(requestRow);
  const list = rows.length > 0 ? element('ul', {}, ...rows) : element('p', { class: 'muted' }, 'None yet.');
  return [element('h2', {}, 'Requests'), list];
}

function requestRow({ at, path, what, status }: SentRequest): HTMLElement {
  const isGood = status !== undefined && status >= 200 && status < 400;
  const words = status === undefined ? 'in flight' : status === 0 ? 'no response' : String(status);
  return element(
    'li',
    { class: 'row' },
    element('span', { class: 'muted' }, time(at)),
    element('div', { class: 'text' }, element('code', {}, path), ' ', element('span', {}, what)),
    element('span', { class: `chip end ${isGood ? 'good' : status === undefined ? '' : 'bad'}` }, words),
  );
}

import { element } from '../element.ts';
import { siteUrl } from '../site-url.ts';
import { type ApiDocument, type EndpointGroup, groupsOf } from './api-document.ts';
import { followEndpoints } from './current-endpoint.ts';
import { endpointView, methodBadge } from './endpoint-view.ts';
import { formatted } from './formatted-text.ts';

const container = document.querySelector<HTMLElement>('#api')!;
void showReference();

async function showReference(): Promise<void> {
  container.replaceChildren(element('p', { role: 'status' }, 'Loading the endpoints …'));
  try {
    const response = await fetch(container.dataset.document!);
    if (!response.ok) throw new Error(`The server responded with ${response.status}.`);
    const api: ApiDocument = await response.json();
    const groups = groupsOf(api);
    showNavigation(groups);
    container.replaceChildren(...groups.map((group) => groupView(group, api)));
    scrollToHash();
    followEndpoints();
  } catch (error) {
    const text = `The list of endpoints could not be loaded. ${error instanceof Error ? error.message : ''}`;
    container.replaceChildren(element('p', { role: 'alert' }, text));
  }
}

function groupView({ id, title, endpoints }: EndpointGroup, api: ApiDocument): HTMLElement {
  return element(
    'section',
    { class: 'group', 'aria-labelledby': id },
    element('h2', { id }, title),
    ...endpoints.map((endpoint) => endpointView(endpoint, api)),
  );
}

/** The endpoints come first in the list of pages. */
function showNavigation(groups: readonly EndpointGroup[]): void {
  const lists = groups.map(({ title, endpoints }) =>
    element(
      'details',
      {},
      element('summary', {}, title),
      element(
        'ul',
        {},
        ...endpoints.map(({ operationId, method, summary }) =>
          element(
            'li',
            {},
            element(
              'a',
              { href: `#${operationId}` },
              methodBadge(method),
              element('span', {}, ...formatted(summary).firstChild!.childNodes),
            ),
          ),
        ),
      ),
    ),
  );
  const endpoints = element('div', { class: 'endpoints' }, element('h2', {}, 'Endpoints'), ...lists);
  const back = element('a', { class: 'back', href: siteUrl('') }, '← Documentation');
  document.querySelector('nav.pages .close')!.after(back, endpoints);
  document.querySelector('nav.pages')!.scrollTop = 0;
}

/** The browser has looked for the target before it existed. */
function scrollToHash(): void {
  if (location.hash.length > 1)
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}

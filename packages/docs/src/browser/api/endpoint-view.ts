import { element } from '../element.ts';
import type { ApiDocument, Endpoint, Parameter } from './api-document.ts';
import { codeBlock } from './code-block.ts';
import { accessText } from './credentials.ts';
import { exampleOf, parameterExample } from './example.ts';
import { formatted } from './formatted-text.ts';
import { curlCode, fetchCode } from './request-code.ts';
import { fieldRow, schemaView } from './schema-view.ts';
import { requestOf, tryItForm } from './try-it.ts';

/** One endpoint: what it does on the left, examples and the form to try it on the right. */
export function endpointView(endpoint: Endpoint, document: ApiDocument): HTMLElement {
  const { operationId, summary, description, method, path } = endpoint;
  return element(
    'section',
    { class: 'endpoint', id: operationId, 'aria-labelledby': `${operationId}-title` },
    element(
      'div',
      { class: 'about' },
      element(
        'h3',
        { id: `${operationId}-title` },
        ...formatted(summary).firstChild!.childNodes,
        element('a', { class: 'anchor', href: `#${operationId}`, 'aria-label': `Link to “${summary}”` }, '#'),
      ),
      element('p', { class: 'route' }, methodBadge(method), element('code', {}, ...breakable(path))),
      description !== undefined && formatted(description),
      element('p', { class: 'access' }, `Accepts: ${accessText(endpoint)}`),
      parameters(endpoint, document),
      requestBody(endpoint, document),
      responses(endpoint, document),
    ),
    examples(endpoint, document),
  );
}

export const methodBadge = (method: string) =>
  element('span', { class: `method ${method}` }, method.toUpperCase());

/** Long paths break after slashes. */
const breakable = (path: string) =>
  path.split(/(?<=\/)/).flatMap((part) => [part, element('wbr')] as (Node | string)[]);

function parameters({ parameters: all = [] }: Endpoint, document: ApiDocument): HTMLElement | undefined {
  if (all.length === 0) return undefined;
  const places = { path: 'Path', query: 'Query', header: 'Headers' } as const;
  const groups = Object.entries(places).flatMap(([place, title]) => {
    const rows = all
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, required = false, description }) =>
        fieldRow({ name, schema, isRequired: required, description }, document),
      );
    return rows.length === 0 ? [] : [element('h4', {}, title), element('div', { class: 'fields' }, ...rows)];
  });
  return element('div', {}, ...groups);
}

function requestBody({ requestBody: body }: Endpoint, document: ApiDocument): HTMLElement | undefined {
  const schema = Object.values(body?.content ?? {})[0]?.schema;
  return schema && element('div', {}, element('h4', {}, 'Body'), schemaView(schema, document));
}

function responses(endpoint: Endpoint, document: ApiDocument): HTMLElement {
  const rows = Object.entries(endpoint.responses).map(([status, { description, content = {} }]) => {
    const isError = Number(status) >= 400;
    const schema = isError ? undefined : Object.values(content)[0]?.schema;
    const summary = element(
      'summary',
      {},
      element('span', { class: `code ${isError ? 'bad' : 'good'}` }, status),
      isError ? errorCodes(description) : description,
    );
    const details = element('details', {}, summary);
    details.addEventListener(
      'toggle',
      () =>
        details.append(
          formatted(withErrorLinks(description, isError)),
          schema ? schemaView(schema, document) : '',
        ),
      { once: true },
    );
    return details;
  });
  return element('div', { class: 'responses' }, element('h4', {}, 'Responses'), ...rows);
}

const CODE = /^`([a-z_]+)`/gm;
const errorCodes = (description: string) =>
  [...description.matchAll(CODE)].map(([, code]) => code).join(', ') || description;
const withErrorLinks = (description: string, isError: boolean) =>
  isError ? description.replace(CODE, '[$1](errors#$1)') : description;

function examples(endpoint: Endpoint, document: ApiDocument): HTMLElement {
  const [mediaType, media] = Object.entries(endpoint.requestBody?.content ?? {})[0] ?? [];
  const required = (endpoint.parameters ?? []).filter((parameter) => parameter.required);
  const values = new Map<Parameter, string>(
    required.map((parameter) => [parameter, parameterExample(parameter) || `{${parameter.name}}`]),
  );
  const body = media && JSON.stringify(exampleOf(media, document), null, 2);
  const request = requestOf(endpoint, values, body, mediaType, { asShown: true });
  const tabs = [
    { label: 'curl', code: curlCode(request) },
    { label: 'JavaScript', code: fetchCode(request) },
  ];
  const success = Object.entries(endpoint.responses).find(([status]) => status < '300');
  const example = exampleOf(success?.[1].content?.['application/json'], document);
  const form = element('details', { class: 'try' }, element('summary', {}, 'Try it'));
  form.addEventListener('toggle', () => form.append(tryItForm(endpoint, document)), { once: true });
  return element(
    'div',
    { class: 'examples' },
    codeBlock(tabs, endpoint.operationId),
    form,
    example !== undefined &&
      codeBlock([{ label: `Response ${success![0]}`, code: JSON.stringify(example, null, 2) }], ''),
  );
}

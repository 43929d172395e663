import { element } from '../element.ts';
import { serverUrl } from '../site-url.ts';
import { type ApiDocument, type Endpoint, type Parameter, resolved } from './api-document.ts';
import { codeBlock } from './code-block.ts';
import { credentialField, credentialHeader } from './credentials.ts';
import { exampleOf, parameterExample } from './example.ts';
import type { ApiRequest } from './request-code.ts';

/** A stream is followed for this long. */
const MAX_DURATION_MS = 10_000;
const MAX_SHOWN_CHARACTERS = 100_000;

/** A form that sends a request to this server and shows the response. */
export function tryItForm(endpoint: Endpoint, document: ApiDocument): HTMLElement {
  const inputs = (endpoint.parameters ?? []).map((parameter) => ({
    parameter,
    ...parameterField(parameter, document),
  }));
  const media = Object.keys(endpoint.requestBody?.content ?? {})[0];
  const example = media && exampleOf(endpoint.requestBody!.content[media], document);
  const body = media === undefined ? undefined : element('textarea', { rows: 8, spellcheck: 'false' });
  if (body) body.value = JSON.stringify(example, null, 2);
  const output = element('div', { class: 'response', 'aria-live': 'polite' });
  const send = element('button', { type: 'submit', class: 'send' }, `Send ${endpoint.method.toUpperCase()}`);
  const form = element(
    'form',
    { class: 'try', autocomplete: 'off' },
    credentialField(endpoint),
    ...inputs.map(({ field }) => field),
    body && element('label', {}, element('span', {}, 'Body'), body),
    endpoint.method !== 'get' &&
      element('p', { class: 'warning' }, 'This is a real request, and can change data.'),
    send,
    output,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    send.disabled = true;
    const values = new Map(inputs.map(({ parameter, input }) => [parameter, input.value]));
    await showResponse(requestOf(endpoint, values, body?.value, media, { asShown: false }), output);
    output.scrollIntoView({ block: 'nearest' });
    send.disabled = false;
  });
  return form;
}

function parameterField(parameter: Parameter, document: ApiDocument) {
  const values = choicesOf(parameter, document);
  const input = values === undefined ? textInput(parameter) : choice(values, parameter);
  input.value = parameter.required ? parameterExample(parameter) || (values?.[0] ?? '') : '';
  const name = element(
    'span',
    {},
    parameter.name,
    parameter.required ? '' : element('small', {}, ' optional'),
  );
  return { input, field: element('label', {}, name, input) };
}

/** All values that the parameter can have, if they are listed. */
function choicesOf({ schema }: Parameter, document: ApiDocument): string[] | undefined {
  const { enum: values, anyOf = [], type } = resolved(schema, document);
  if (type === 'boolean') return ['true', 'false'];
  if (values !== undefined) return values.map(String);
  const constants = anyOf.map((each) => resolved(each, document).const);
  return constants.length > 0 && !constants.includes(undefined) ? constants.map(String) : undefined;
}

const textInput = (parameter: Parameter) =>
  element('input', {
    type: 'text',
    placeholder: parameterExample(parameter) || undefined,
    required: parameter.required === true,
    spellcheck: 'false',
  });

const choice = (values: readonly string[], { required }: Parameter) =>
  element(
    'select',
    {},
    ...[...(required ? [] : ['']), ...values].map((value) => element('option', { value }, value)),
  );

/** The request of an endpoint with the given values; empty ones are left out. */
export function requestOf(
  endpoint: Endpoint,
  values: ReadonlyMap<Parameter, string>,
  body: string | undefined,
  mediaType: string | undefined,
  options: { asShown: boolean },
): ApiRequest {
  let path = endpoint.path;
  const query = new URLSearchParams();
  const headers: Record<string, string> = credentialHeader(endpoint, options);
  for (const [{ name, in: place }, value] of values) {
    if (place === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    else if (value === '') continue;
    else if (place === 'query') query.set(name, value);
    else headers[name] = value;
  }
  if (mediaType !== undefined) headers['content-type'] = mediaType;
  const search = query.size === 0 ? '' : `?${query}`;
  return {
    method: endpoint.method.toUpperCase(),
    url: serverUrl() + path + search,
    headers,
    ...(body === undefined ? {} : { body }),
  };
}

async function showResponse({ url, ...init }: ApiRequest, output: HTMLElement): Promise<void> {
  output.replaceChildren(element('p', { class: 'status' }, 'Sending …'));
  const started = performance.now();
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), MAX_DURATION_MS);
  try {
    const response = await fetch(url, { ...init, signal: abort.signal });
    const duration = Math.round(performance.now() - started);
    const status = `${response.status} ${response.statusText}`.trim();
    const kind = response.ok ? 'good' : 'bad';
    const summary = element(
      'p',
      { class: `status ${kind}` },
      status,
      element('small', {}, ` in ${duration} ms`),
    );
    const text = await readText(response, abort.signal);
    output.replaceChildren(
      summary,
      ...(text === '' ? [] : [codeBlock([{ label: 'Response', code: pretty(text) }], '')]),
    );
  } catch (error) {
    const message = abort.signal.aborted
      ? `No response after ${MAX_DURATION_MS / 1000} seconds.`
      : String(error);
    output.replaceChildren(element('p', { class: 'status bad' }, message));
  } finally {
    clearTimeout(timer);
  }
}

/** What has arrived when the response ends, gets too long, or is aborted because it is a stream. */
async function readText(response: Response, signal: AbortSignal): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    while (reader && text.length < MAX_SHOWN_CHARACTERS) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
    }
    await reader?.cancel();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return `${text.slice(0, MAX_SHOWN_CHARACTERS)}\n…`;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

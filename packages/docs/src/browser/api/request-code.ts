/** A request as it is shown and sent. */
export interface ApiRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export function curlCode({ method, url, headers, body }: ApiRequest): string {
  const first = method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`;
  const lines = [
    `curl -sS${first} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ];
  return lines.join(' \\\n  ');
}

export function fetchCode({ method, url, headers, body }: ApiRequest): string {
  const text = (value: string) =>
    `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(Object.keys(headers).length === 0
      ? []
      : [
          '  headers: {',
          ...Object.entries(headers).map(([name, value]) => `    ${text(name)}: ${text(value)},`),
          '  },',
        ]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body)}),`]),
  ];
  const call =
    options.length === 0 ? `fetch(${text(url)})` : `fetch(${text(url)}, {\n${options.join('\n')}\n})`;
  return `const response = await ${call};\nconsole.log(response.status, await response.json());`;
}

const indented = (json: string) => json.replaceAll('\n', '\n  ');

/** As much of an OpenAPI document as is looked at here. */
interface Operation {
  operationId?: string;
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, { schema?: Record<string, unknown> }> };
  responses: Record<string, { headers?: Record<string, unknown> }>;
}

interface ApiDocument {
  paths?: Record<string, Record<string, Operation>>;
}

/** Adds what follows from the routes and would only be repeated in each of them. */
export function completeDocument<T extends object>(document: T): T {
  for (const [path, operations] of Object.entries((document as ApiDocument).paths ?? {})) {
    for (const [method, operation] of Object.entries(operations)) {
      operation.operationId = operationIdOf(method, path);
      describeConditionalRequest(operation);
      sayRequiredAny(operation);
    }
  }
  return document;
}

/** `GET /v1/sessions/{sessionId}` is `getSession`; generated clients call their methods so. */
function operationIdOf(method: string, path: string): string {
  const segments = path.split('/').filter((segment) => !/^(|v1)$/.test(segment));
  const words = segments
    .filter((segment) => !segment.startsWith('{'))
    .flatMap((segment) => segment.split('-'))
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
  const name = words.join('');
  return method + (segments.at(-1)?.startsWith('{') ? name.replace(/s$/, '') : name);
}

function describeConditionalRequest(operation: Operation): void {
  const unchanged = operation.responses['304'];
  if (unchanged === undefined) return;
  unchanged.headers = { ...unchanged.headers, etag: operation.responses['200']?.headers?.etag };
  const others = (operation.parameters ?? []).filter(({ name }) => name !== 'if-none-match');
  const parameter = {
    in: 'header',
    name: 'if-none-match',
    required: false,
    description: 'The `etag` of the answer you have; 304 when it is still right',
    schema: { type: 'string' },
  };
  operation.parameters = [...others, parameter];
}

/** Our own keyword gives one error for the whole body; other people's validators know `anyOf`. */
function sayRequiredAny({ requestBody }: Operation): void {
  for (const media of Object.values(requestBody?.content ?? {})) {
    const names = media.schema?.['x-required-any'];
    if (!Array.isArray(names)) continue;
    media.schema = { ...media.schema, anyOf: names.map((name) => ({ required: [name] })) };
  }
}

/** The parts of the OpenAPI document that the reference shows. */
export interface ApiDocument {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, { description: string; content?: Record<string, MediaType> }>;
}

export interface Parameter {
  in: 'query' | 'path' | 'header';
  name: string;
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
}

export interface MediaType {
  schema?: Schema;
  example?: unknown;
}

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** An operation with its place in the document. */
export interface Endpoint extends Operation {
  method: string;
  path: string;
}

export interface EndpointGroup {
  id: string;
  title: string;
  endpoints: Endpoint[];
}

/** Which nouns of the management API belong together; every other noun is a group of its own. */
const MANAGEMENT_GROUPS: Record<string, string> = {
  setup: 'accounts',
  'sign-in': 'accounts',
  'sign-out': 'accounts',
  me: 'accounts',
  oidc: 'accounts',
  invitations: 'members',
  configuration: 'properties',
  stream: 'properties',
  proposals: 'history',
  explanations: 'analysis',
  sessions: 'analysis',
  impact: 'analysis',
  feedback: 'feedback-types',
};

/** The endpoints by tag, in the order of the document; the management API also by noun. */
export function groupsOf(document: ApiDocument): EndpointGroup[] {
  const groups = new Map<string, Endpoint[]>(document.tags.map(({ name }) => [name, []]));
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const title = groupTitle(operation.tags[0] ?? 'Other', path);
      const endpoints = groups.get(title) ?? [];
      groups.set(title, [...endpoints, { ...operation, method, path }]);
    }
  }
  return [...groups]
    .filter(([, endpoints]) => endpoints.length > 0)
    .map(([title, endpoints]) => ({ id: title.toLowerCase().replace(/\W+/g, '-'), title, endpoints }));
}

function groupTitle(tag: string, path: string): string {
  if (tag !== 'Management') return tag;
  const [first = '', second] = path
    .replace('/v1/manage/', '')
    .split('/')
    .filter((segment) => !segment.startsWith('{'));
  const noun = first === 'properties' ? (second ?? first) : first;
  return `Management: ${(MANAGEMENT_GROUPS[noun] ?? noun).replaceAll('-', ' ')}`;
}

/** Follows a reference; everything else is returned unchanged. */
export function resolved(schema: Schema, document: ApiDocument): Schema {
  const name = nameOf(schema);
  return name === undefined ? schema : { ...document.components.schemas[name], ...withoutReference(schema) };
}

export const nameOf = (schema: Schema) => schema.$ref?.split('/').at(-1);

function withoutReference({ $ref: _, ...rest }: Schema): Schema {
  return rest;
}

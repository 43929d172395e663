import { isDeepStrictEqual } from 'node:util';
import { ERRORS } from '../../platform/errors/errors.ts';

type Schema = Record<string, unknown>;

interface MediaType {
  schema?: Schema;
}

/** The parts of an OpenAPI document used here. */
interface Operation {
  operationId?: string;
  parameters?: { name: string }[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, { headers?: Record<string, unknown>; content?: Record<string, MediaType> }>;
  security?: object[];
}

interface ApiDocument {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}

/** Adds everything that can be derived from the routes: operation ids, conditional requests, named schemas. */
export function completeDocument<T extends object>(document: T): T {
  const { paths = {}, components = {} }: ApiDocument = document;
  components.schemas ??= {};
  const names = new SchemaNames(components.schemas);
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      operation.operationId = operationIdOf(method, path);
      operation.security ??= [];
      describeConditionalRequest(operation);
      expandRequiredAny(operation);
      nameSchemas(operation, names);
    }
  }
  components.schemas.ErrorCode = { ...components.schemas.ErrorCode, enum: Object.keys(ERRORS) };
  return document;
}

/** `GET /v1/sessions/{sessionId}` becomes `getSession`, the method name in generated clients. */
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
    description: 'The `etag` of a cached response; the response is 304 if it is still current',
    schema: { type: 'string' },
  };
  operation.parameters = [...others, parameter];
}

/** Adds the standard `anyOf` for other validators; our own keyword gives a single error for the whole body. */
function expandRequiredAny({ requestBody }: Operation): void {
  for (const media of Object.values(requestBody?.content ?? {})) {
    const names = media.schema?.['x-required-any'];
    if (!Array.isArray(names)) continue;
    media.schema = { ...media.schema, anyOf: names.map((name) => ({ required: [name] })) };
  }
}

function nameSchemas({ requestBody, responses }: Operation, names: SchemaNames): void {
  for (const media of Object.values(requestBody?.content ?? {})) {
    if (media.schema) media.schema = names.replace(media.schema);
  }
  for (const { content = {} } of Object.values(responses)) {
    for (const media of Object.values(content)) {
      if (!media.schema) continue;
      // It describes the response, while the schema may be shared.
      const { description: _, ...schema } = media.schema;
      media.schema = names.replace(schema);
    }
  }
}

/** Keywords whose values are never schemas, even if they look like one. */
const VALUES = new Set(['const', 'default', 'enum', 'example', 'examples', 'required']);

/** Moves schemas with a title to the components, so that generated clients get types with these names. */
class SchemaNames {
  readonly #schemas: Record<string, Schema>;

  constructor(schemas: Record<string, Schema>) {
    this.#schemas = schemas;
    for (const [name, schema] of Object.entries(schemas)) schemas[name] = this.#inside(schema);
  }

  /** Returns a reference to a schema with a title; in other schemas, replaces the nested schemas. */
  replace(schema: Schema): Schema {
    // Examples belong to the response, not to the type.
    const { title: name, examples: _, ...rest } = schema;
    if (typeof name !== 'string') return this.#inside(schema);
    const named = this.#inside(rest);
    const known = this.#schemas[name];
    if (known !== undefined && !isDeepStrictEqual(known, named)) {
      throw new Error(`two different schemas have the title ${name}`);
    }
    this.#schemas[name] = named;
    return { $ref: `#/components/schemas/${name}` };
  }

  #inside(schema: Schema): Schema {
    return Object.fromEntries(
      Object.entries(schema).map(([keyword, value]) => {
        if (VALUES.has(keyword)) return [keyword, value];
        if (keyword === 'properties') return [keyword, this.#each(value as Record<string, Schema>)];
        if (Array.isArray(value)) return [keyword, value.map((item) => this.#ifSchema(item))];
        return [keyword, this.#ifSchema(value)];
      }),
    );
  }

  #each(schemas: Record<string, Schema>): Record<string, Schema> {
    return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, this.replace(schema)]));
  }

  #ifSchema(value: unknown): unknown {
    return typeof value === 'object' && value !== null ? this.replace(value as Schema) : value;
  }
}

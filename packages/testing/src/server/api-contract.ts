import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, object> };
}

interface CheckedResponse {
  status: number;
  headers: Headers;
  body: unknown;
  text: string;
}

/** Checks responses of a running server against its OpenAPI document. */
export class ApiContract {
  readonly document: Document;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  readonly #validators = new Map<object, ValidateFunction>();

  static async load(url: string): Promise<ApiContract> {
    return new ApiContract((await (await fetch(`${url}/openapi.json`)).json()) as Document);
  }

  constructor(document: Document) {
    this.document = document;
    this.#ajv.addSchema(document, 'openapi.json');
  }

  /** Throws if the document does not describe the response. */
  check(method: string, path: string, response: CheckedResponse): void {
    const where = `${method} ${path} → ${response.status}`;
    if (!response.headers.get('x-request-id')) throw new Error(`${where}: no x-request-id`);
    const operation = this.#operation(method, path);
    if (operation === undefined) return;
    const documented = operation.responses[response.status];
    if (documented === undefined) throw new Error(`${where}: undocumented status: ${response.text}`);
    if (documented.content === undefined) return;
    const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
    const media = documented.content[type];
    if (media === undefined) throw new Error(`${where}: undocumented media type ${type}`);
    if (!/json/.test(type)) return;
    const validate = this.#validator(media.schema);
    if (!validate(response.body)) {
      throw new Error(`${where}: ${this.#ajv.errorsText(validate.errors)} in ${response.text}`);
    }
  }

  /** What is wrong with a value of a named schema; empty if nothing is. */
  errorsOf(name: string, value: unknown): string {
    const validate = this.#validator({ $ref: `#/components/schemas/${name}` });
    return validate(value) ? '' : this.#ajv.errorsText(validate.errors);
  }

  #operation(method: string, path: string): Operation | undefined {
    const segments = path.split('?', 1)[0]!.split('/');
    const template = Object.keys(this.document.paths).find((candidate) => {
      const expected = candidate.split('/');
      return (
        expected.length === segments.length &&
        expected.every((part, i) => part.startsWith('{') || part === segments[i])
      );
    });
    return template === undefined ? undefined : this.document.paths[template]![method.toLowerCase()];
  }

  #validator(schema: object): ValidateFunction {
    let validate = this.#validators.get(schema);
    if (validate === undefined) {
      // References are relative to the document.
      const text = JSON.stringify(schema).replaceAll('"#/', '"openapi.json#/');
      validate = this.#ajv.compile(JSON.parse(text) as object);
      this.#validators.set(schema, validate);
    }
    return validate;
  }
}

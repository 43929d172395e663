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

/** The OpenAPI document of a running server, as a judge of its answers. */
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

  /** Throws when the answer is not one that the document promises. */
  check(method: string, path: string, answer: CheckedResponse): void {
    const where = `${method} ${path} → ${answer.status}`;
    if (!answer.headers.get('x-request-id')) throw new Error(`${where}: no x-request-id`);
    const operation = this.#operation(method, path);
    if (operation === undefined) return;
    const promised = operation.responses[answer.status];
    if (promised === undefined) throw new Error(`${where}: the document has no such answer: ${answer.text}`);
    if (promised.content === undefined) return;
    const type = answer.headers.get('content-type')?.split(';', 1)[0] ?? '';
    const media = promised.content[type];
    if (media === undefined) throw new Error(`${where}: the document has no ${type} here`);
    if (!/json/.test(type)) return;
    const validate = this.#validator(media.schema);
    if (!validate(answer.body)) {
      throw new Error(`${where}: ${this.#ajv.errorsText(validate.errors)} in ${answer.text}`);
    }
  }

  #operation(method: string, path: string): Operation | undefined {
    const segments = path.split('?', 1)[0]!.split('/');
    const template = Object.keys(this.document.paths).find((candidate) => {
      const wanted = candidate.split('/');
      return (
        wanted.length === segments.length &&
        wanted.every((part, i) => part.startsWith('{') || part === segments[i])
      );
    });
    return template === undefined ? undefined : this.document.paths[template]![method.toLowerCase()];
  }

  #validator(schema: object): ValidateFunction {
    let validate = this.#validators.get(schema);
    if (validate === undefined) {
      // References in the document are local to it.
      const text = JSON.stringify(schema).replaceAll('"#/', '"openapi.json#/');
      validate = this.#ajv.compile(JSON.parse(text) as object);
      this.#validators.set(schema, validate);
    }
    return validate;
  }
}

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

// Renders the part of the template language that our chart uses. Helm itself is a Go program that tests cannot install.

type Node =
  | { type: 'text'; text: string }
  | { type: 'output'; expression: string }
  | { type: 'if' | 'with'; expression: string; body: Node[]; otherwise: Node[] }
  | { type: 'range'; key: string; value: string; expression: string; body: Node[] };

interface Scope {
  dot: unknown;
  variables: Record<string, unknown>;
}

type Fields = Record<string, unknown>;

export class HelmChart {
  readonly values: Fields;
  readonly #chart: Fields;
  readonly #files: Record<string, string>;
  readonly #named = new Map<string, Node[]>();

  constructor(directory: string) {
    const read = (name: string) => readFileSync(join(directory, name), 'utf8');
    this.values = parse(read('values.yaml'));
    const { name, appVersion } = parse(read('Chart.yaml'));
    this.#chart = { Name: name, AppVersion: appVersion };
    const names = readdirSync(join(directory, 'templates'));
    this.#files = Object.fromEntries(names.map((file) => [file, read(join('templates', file))]));
    for (const text of Object.values(this.#files)) this.#parse(text);
  }

  /** The text of every file with the given values on top of the default ones. */
  render(values: Fields): Record<string, string> {
    const release = { Name: 'prod', Namespace: 'web', Service: 'Helm' };
    const dot = { Values: merge(this.values, values), Chart: this.#chart, Release: release };
    return Object.fromEntries(
      Object.entries(this.#files).map(([name, text]) => [
        name,
        this.#write(this.#parse(text), { dot, variables: { $: dot } }),
      ]),
    );
  }

  #parse(text: string): Node[] {
    const tokens = text
      .replace(/\s*\{\{- /g, '{{ ')
      .replace(/ -\}\}\s*/g, ' }}')
      .split(/\{\{ (.*?) \}\}/);
    let next = 0;
    const block = (): [Node[], string] => {
      const nodes: Node[] = [];
      while (next < tokens.length) {
        const token = tokens[next]!;
        const isText = next % 2 === 0;
        next += 1;
        if (isText) nodes.push({ type: 'text', text: token });
        else if (token === 'end' || token === 'else') return [nodes, token];
        else nodes.push(...this.#action(token, block));
      }
      return [nodes, ''];
    };
    const [nodes, rest] = block();
    if (rest !== '') throw new Error(`unexpected ${rest}`);
    return nodes;
  }

  #action(token: string, block: () => [Node[], string]): Node[] {
    const [, keyword, expression = ''] = /^(define|if|with|range)\s+(.*)$/.exec(token) ?? [];
    if (keyword === undefined) return [{ type: 'output', expression: token }];
    const [body, ended] = block();
    const otherwise = ended === 'else' ? block()[0] : [];
    if (keyword === 'define') {
      this.#named.set(JSON.parse(expression), body);
      return [];
    }
    if (keyword !== 'range') return [{ type: keyword as 'if' | 'with', expression, body, otherwise }];
    const [, key, value, list] = /^(\$\w+), (\$\w+) := (.*)$/.exec(expression)!;
    return [{ type: 'range', key: key!, value: value!, expression: list!, body }];
  }

  #write(nodes: readonly Node[], scope: Scope): string {
    return nodes.map((node) => this.#writeNode(node, scope)).join('');
  }

  #writeNode(node: Node, scope: Scope): string {
    if (node.type === 'text') return node.text;
    const value = this.#evaluate(node.expression, scope);
    if (node.type === 'output') return String(value ?? '');
    if (node.type === 'range') {
      const sorted = Object.entries(value as Fields).sort(([a], [b]) => (a < b ? -1 : 1));
      return sorted
        .map(([key, item]) => {
          const variables = { ...scope.variables, [node.key]: key, [node.value]: item };
          return this.#write(node.body, { dot: item, variables });
        })
        .join('');
    }
    if (!isTrue(value)) return this.#write(node.otherwise, scope);
    return this.#write(node.body, node.type === 'with' ? { ...scope, dot: value } : scope);
  }

  /** A pipeline: the result of each command is the last argument of the next. */
  #evaluate(expression: string, scope: Scope): unknown {
    const words = expression.match(/"[^"]*"|[()|]|[^\s()|]+/g) ?? [];
    let next = 0;
    const operand = (): unknown => {
      const word = words[next++]!;
      if (word === '(') return pipeline();
      if (word.startsWith('"')) return JSON.parse(word);
      if (/^\d+$/.test(word)) return Number(word);
      if (word.startsWith('$.')) return field(scope.variables.$, word.slice(1));
      if (word.startsWith('$')) return scope.variables[word];
      return field(scope.dot, word);
    };
    const command = (piped: unknown[]): unknown => {
      const name = /^[a-z]\w*$/i.test(words[next]!) ? words[next++]! : undefined;
      const operands: unknown[] = [];
      while (next < words.length && !/^[|)]$/.test(words[next]!)) operands.push(operand());
      return name === undefined ? operands[0] : this.#call(name, [...operands, ...piped]);
    };
    const pipeline = (): unknown => {
      let result = command([]);
      while (words[next] === '|') {
        next += 1;
        result = command([result]);
      }
      next += 1;
      return result;
    };
    return pipeline();
  }

  #call(name: string, args: unknown[]): unknown {
    if (name === 'include')
      return this.#write(this.#named.get(args[0] as string)!, { dot: args[1], variables: { $: args[1] } });
    const found = FUNCTIONS[name];
    if (found === undefined) throw new Error(`the function ${name} is not supported here`);
    return found(...(args as never[]));
  }
}

const FUNCTIONS: Record<string, (...args: never[]) => unknown> = {
  quote: (value: unknown) => JSON.stringify(String(value)),
  default: (fallback: unknown, value: unknown) => (isTrue(value) ? value : fallback),
  not: (value: unknown) => !isTrue(value),
  contains: (part: string, text: string) => text.includes(part),
  trunc: (length: number, text: string) => text.slice(0, length),
  trimSuffix: (end: string, text: string) => (text.endsWith(end) ? text.slice(0, -end.length) : text),
  printf: (format: string, ...values: string[]) =>
    values.reduce((text, value) => text.replace('%s', value), format),
  toYaml: (value: unknown) => stringify(value).trimEnd(),
  nindent: (count: number, text: string) => `\n${text.replace(/^/gm, ' '.repeat(count))}`,
  sha256sum: (text: string) => createHash('sha256').update(text).digest('hex'),
  omit: (fields: Fields, ...names: string[]) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name))),
  required: (message: string, value: unknown) => {
    if (value === undefined || value === '') throw new Error(message);
    return value;
  },
};

/** Fails for fields that the values do not have, which Helm would print as nothing. */
function field(dot: unknown, path: string): unknown {
  return path
    .split('.')
    .filter((name) => name !== '')
    .reduce((value, name) => {
      if (!Object.hasOwn(value as Fields, name)) throw new Error(`${path} does not exist`);
      return (value as Fields)[name];
    }, dot);
}

function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

function merge(base: Fields, over: Fields): Fields {
  const isMap = (value: unknown): value is Fields =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const merged = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const known = merged[name];
    merged[name] = isMap(known) && isMap(value) ? merge(known, value) : value;
  }
  return merged;
}

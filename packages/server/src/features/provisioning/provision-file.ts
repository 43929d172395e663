import { parsePointer } from '@switchyard/core/merge/json-pointer';
import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  visit,
} from 'yaml';
import { plainJson } from './plain-json.ts';
import { ProvisionError, type ProvisionMistake } from './provision-mistake.ts';

/** A provision file as read, its content not yet checked. */
export interface ProvisionSource {
  content: unknown;
  /** The position of a path in the text; undefined if there is no text. */
  locate(path: string): { line: number; column: number } | undefined;
}

const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Stops a few lines of aliases from expanding to gigabytes. */
const MAX_ALIASES = 100;

/** Files need about a dozen levels; far more would overflow the parser's stack, which can crash V8. */
const MAX_NESTING = 100;

/** Reads YAML or JSON. Mistakes in JSON are found as in YAML, so that both have line numbers. Throws with every syntax error. */
export function readProvisionText(text: string): ProvisionSource {
  if (text.length > MAX_FILE_BYTES) throw fileError('the file is larger than 16 MiB');
  const content = plainJson(text);
  if (content === undefined) return readYaml(text);
  let yaml: ProvisionSource | undefined;
  return {
    content,
    locate: (path) => {
      yaml ??= readYaml(text);
      return yaml.locate(path);
    },
  };
}

function readYaml(text: string): ProvisionSource {
  const lines = new LineCounter();
  const document = parse(text, lines);
  const mistakes = [...document.errors, ...document.warnings, ...loneSurrogates(document)].map(
    ({ message, pos }): ProvisionMistake => {
      const { line, col } = lines.linePos(pos[0]);
      return { path: '', message, line, column: col };
    },
  );
  if (mistakes.length > 0) throw new ProvisionError(mistakes);
  return { content: toContent(document), locate: (path) => locate(document, lines, parsePointer(path)) };
}

/** A provision file built in code. */
export function provisionObject(content: unknown): ProvisionSource {
  return { content, locate: () => undefined };
}

function parse(text: string, lines: LineCounter): Document {
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  if (tokens.some(isTooDeep)) throw fileError(`is nested deeper than ${MAX_NESTING} levels`);
  const [document, second] = [...new Composer().compose(tokens, true, text.length)];
  if (document === undefined || second !== undefined)
    throw fileError('must contain exactly one YAML document');
  return document;
}

/** Escapes such as `\ud800` without their other half cannot be stored as text. */
function loneSurrogates(document: Document): { message: string; pos: [number] }[] {
  const found: { message: string; pos: [number] }[] = [];
  visit(document, {
    Scalar(_key, { value, range }) {
      if (typeof value !== 'string' || value.isWellFormed()) return;
      found.push({
        message: 'contains a lone surrogate, which is not a valid character',
        pos: [range?.[0] ?? 0],
      });
    },
  });
  return found;
}

/** Checks level by level, because recursion would overflow the stack on the very files it must reject. */
function isTooDeep(token: CST.Token): boolean {
  let level: CST.Token[] = [token];
  for (let depth = 0; depth <= MAX_NESTING; depth++) {
    level = level.flatMap(children);
    if (level.length === 0) return false;
  }
  return true;
}

function children(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value ? [token.value] : [];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((child) => child != null));
}

function toContent(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw fileError(error instanceof Error ? error.message : String(error));
  }
}

function fileError(message: string): ProvisionError {
  return new ProvisionError([{ path: '', message }]);
}

/** The position of a path, or of its nearest existing parent. */
function locate(document: Document, lines: LineCounter, path: readonly string[]) {
  let node: unknown = document.contents;
  let offset = isNode(node) ? node.range?.[0] : 0;
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === part);
      if (pair === undefined) break;
      offset = isNode(pair.key) ? pair.key.range?.[0] : offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      if (!isNode(node)) break;
      offset = node.range?.[0] ?? offset;
    } else {
      break;
    }
  }
  const { line, col } = lines.linePos(offset ?? 0);
  return { line, column: col };
}

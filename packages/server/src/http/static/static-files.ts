import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { PreparedFile } from './prepared-file.ts';

export const HTML = 'text/html; charset=utf-8';

const CONTENT_TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': HTML,
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/**
 * Files of a directory by their path in it, such as `images/flags.png`, read at their first request. Other names never
 * reach the file system.
 */
export class StaticFiles {
  readonly #directory: string;
  #listed: ReadonlySet<string> | undefined;
  readonly #files = new Map<string, PreparedFile>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Listed by the first request, so that the start does not wait for it. */
  get #names(): ReadonlySet<string> {
    this.#listed ??= namesIn(this.#directory);
    return this.#listed;
  }

  find(name: string): PreparedFile | undefined {
    if (!this.#names.has(name) || CONTENT_TYPES[extname(name)] === undefined) return undefined;
    const file = this.#files.get(name) ?? this.#prepare(name);
    this.#files.set(name, file);
    return file;
  }

  /** The build has compressed every file for which that is worth it. */
  #prepare(name: string): PreparedFile {
    const content = this.#read(name);
    const compressed = { br: `${name}.br`, gzip: `${name}.gz` };
    const encodings = Object.entries(compressed).filter(([, file]) => this.#names.has(file));
    return {
      etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
      contentType: CONTENT_TYPES[extname(name)]!,
      encodings: new Map([
        ...encodings.map(([encoding, file]) => [encoding, this.#read(file)] as const),
        ['identity', content],
      ]),
    };
  }

  #read(name: string): Buffer {
    return readFileSync(join(this.#directory, name));
  }
}

function namesIn(directory: string): ReadonlySet<string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)));
  return new Set(paths.map((path) => path.split(sep).join('/')));
}

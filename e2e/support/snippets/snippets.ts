import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Fence, readFences } from '../../../packages/docs/src/site/fences.ts';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A code block of the documentation. */
export interface Snippet extends Fence {
  /** Path of the Markdown file in the repository. */
  page: string;
  /** For messages, such as `docs/api.md:12`. */
  place: string;
  /** From a comment in the first line, such as `// app.tsx` or `# switchyard.yaml`. */
  fileName: string | undefined;
}

/** Pages for readers of the product, in the repository and on the site. */
export function documentationPages(): string[] {
  const patterns = ['README.md', 'packages/sdk/README.md', 'docs/*.md'];
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns];
  const files = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' }).split('\n');
  return [...new Set(files)].filter((file) => file !== '' && !file.startsWith('docs/decisions/'));
}

export function snippetsOf(page: string): Snippet[] {
  return readFences(readFileSync(`${ROOT}/${page}`, 'utf8')).map((fence) => ({
    ...fence,
    page,
    place: `${page}:${fence.line}`,
    fileName: /^(?:\/\/|#|<!--) ([\w.-]+\.\w+)(?: -->)?\n/.exec(fence.code)?.[1],
  }));
}

/**
 * Who runs a snippet. A comment before it can change that:
 *
 * - `<!-- snippet: skip, REASON -->`: cannot run in a test
 * - `<!-- snippet: tested by FILE -->`: runs in another test, which must mention the page
 * - `<!-- snippet: from FILE -->`: quotes a file of the repository
 * - `<!-- snippet: example -->`: JSON with the members, but not the values, of the response before it
 * - `<!-- snippet: schema NAME -->`: JSON that a schema of the OpenAPI document describes
 * - `<!-- snippet: types -->`: code that is compiled, but not run
 */
export type Runner =
  | 'nobody'
  | 'another test'
  | 'quotation'
  | 'shell'
  | 'json'
  | 'yaml'
  | 'http'
  | 'html'
  | 'code';

const BY_LANGUAGE: Record<string, Runner> = {
  '': 'nobody',
  text: 'nobody',
  sh: 'shell',
  json: 'json',
  yaml: 'yaml',
  http: 'http',
  html: 'html',
};
const CODE = ['ts', 'tsx', 'js', 'jsx'];

/** Throws if nothing runs the snippet. */
export function runnerOf({ language, directive = '', place }: Snippet): Runner {
  if (directive.startsWith('skip')) {
    if (!/^skip, \w.{5,}/s.test(directive))
      throw new Error(`${place}: write why: <!-- snippet: skip, REASON -->`);
    return 'nobody';
  }
  if (directive.startsWith('tested by ')) return 'another test';
  if (directive.startsWith('from ')) return 'quotation';
  const runner = BY_LANGUAGE[language];
  if (runner !== undefined) return runner;
  if (CODE.includes(language)) return 'code';
  throw new Error(`${place}: nothing runs snippets in ${language}; see e2e/support/snippets/snippets.ts`);
}

/** Replaces the addresses and keys of the documentation with those of a running server. */
export function withServer(code: string, url: string, publicKey: string, secretKey: string): string {
  return code
    .replaceAll(/https:\/\/switchyard\.example|http:\/\/(127\.0\.0\.1|localhost):8080/g, url)
    .replaceAll('service_pub_your_key', publicKey)
    .replaceAll('service_sec_your_key', secretKey);
}

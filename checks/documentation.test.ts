import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MarkdownPage, readMarkdown } from '../packages/docs/src/site/markdown.ts';
import { readNavigation } from '../packages/docs/src/site/navigation.ts';
import { ERRORS } from '../packages/server/src/platform/errors/errors.ts';

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));

const pages = new Map<string, MarkdownPage>(
  files.map((file) => [file, readMarkdown(readFileSync(file, 'utf8'))]),
);

/** Files of the server that pages may link to. */
const SERVED = ['/openapi.json'];

/** Why a link leads nowhere, in the repository and so on the site. */
function problemWith(link: string, file: string): string | undefined {
  if (/^(https?|mailto):/.test(link) || SERVED.includes(link)) return undefined;
  const [name = '', id] = link.split('#', 2);
  const target = name === '' ? file : posix.join(posix.dirname(file), name);
  if (name.startsWith('/') || !existsSync(target)) return 'does not exist';
  const page = pages.get(target);
  if (id === undefined || page === undefined) return undefined;
  return page.sections.some((section) => section.id === id) ? undefined : 'has no such heading';
}

describe('Markdown files', () => {
  it('have links that lead somewhere', () => {
    const broken = [...pages].flatMap(([file, { links }]) =>
      links.flatMap((link) => {
        const problem = problemWith(link, file);
        return problem === undefined ? [] : [`${file}: ${link} ${problem}`];
      }),
    );
    expect(broken).toEqual([]);
  });
});

describe('the documentation site', () => {
  const listed = readNavigation('.');

  it('lists every page of docs in docs/navigation.json', () => {
    const unlisted = files.filter(
      (file) => /^docs\/(?!decisions\/)/.test(file) && !listed.some((page) => page.file === file),
    );
    expect(unlisted).toEqual([]);
  });

  it('has one title, one description and one URL per page', () => {
    const paths = listed.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    for (const { file } of listed) {
      expect(pages.get(file), file).toMatchObject({
        title: expect.stringMatching(/./),
        description: expect.stringMatching(/./),
      });
    }
  });
});

describe('docs/errors.md', () => {
  const source = readFileSync('docs/errors.md', 'utf8');
  const sections = source.split(/^### /m).slice(1);

  it('has the errors of the server, in the same words, and says what to do', () => {
    const documented = sections.map((section) => {
      const [heading, message, advice] = section.split(/\n\n/);
      return [heading, message, advice !== undefined && !advice.startsWith('#')];
    });
    const expected = Object.entries(ERRORS).map(([code, { message }]) => [`\`${code}\``, message, true]);
    const byCode = (a: unknown[], b: unknown[]) => String(a[0]).localeCompare(String(b[0]));
    expect(documented.sort(byCode)).toEqual(expected.sort(byCode));
  });

  it('has each of them below its status', () => {
    for (const part of source.split(/^## /m).slice(1)) {
      const status = Number.parseInt(part, 10);
      for (const [, code] of part.matchAll(/^### `(\w+)`/gm)) {
        expect([code, ERRORS[code as keyof typeof ERRORS].status]).toEqual([code, status]);
      }
    }
  });
});

describe('packages/sdk/README.md', () => {
  it('has every error code of the SDK that is not one of the service', () => {
    const sources = execFileSync(
      'git',
      ['ls-files', '--cached', '--others', '--exclude-standard', 'packages/sdk/src'],
      { encoding: 'utf8' },
    )
      .split('\n')
      .filter((file) => /^packages\/sdk\/src\/(browser|client|node|react)\/.*(?<!\.test)\.tsx?$/.test(file));
    const used = sources
      .filter((file) => existsSync(file))
      .flatMap((file) => [
        ...readFileSync(file, 'utf8').matchAll(/(?:\b(?:apiF|f)ailure\(\s*|\bcode: )'([a-z_]+)'/g),
      ])
      .map(([, code]) => code!);
    const own = [...new Set(used)].filter((code) => !Object.hasOwn(ERRORS, code));

    const [, section = ''] = readFileSync('packages/sdk/README.md', 'utf8').split('\n## Error codes\n');
    const documented = [...section.split('\n## ', 1)[0]!.matchAll(/^\| `(\w+)` \|/gm)].map(
      ([, code]) => code!,
    );
    expect(documented.toSorted()).toEqual(own.toSorted());
  });
});

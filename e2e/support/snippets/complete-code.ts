import type { Snippet } from './snippets.ts';

const IMPORT = /^import\s+(?:type\s+)?([^'"]*?)\s+from\s+['"][^'"]+['"];?$/gm;

/** Names that the code imports. */
const importedNames = (clause: string) =>
  clause
    .replace(/[{}]/g, ',')
    .split(',')
    .map((name) => name.replace(/^\s*(?:type\s+)?(?:[\w*]+\s+as\s+)?/, '').trim())
    .filter((name) => name !== '');

/** Names that the code declares, without imports: anywhere, or only where later snippets can use them. */
function declaredNames(code: string, where: 'anywhere' | 'top level'): string[] {
  const start = where === 'anywhere' ? '^\\s*' : '^';
  const single = new RegExp(
    `${start}(?:export )?(?:async )?(?:const|let|function|class|interface|type) (\\w+)`,
    'gm',
  );
  const several = new RegExp(`${start}(?:export )?const \\{([^}]*)\\} =`, 'gm');
  return [
    ...[...code.matchAll(single)].map(([, name]) => name!),
    ...[...code.matchAll(several)].flatMap(([, names]) => importedNames(names!.replace(/\w+\s*:/g, ''))),
  ];
}

const knownNames = (code: string) =>
  new Set([
    ...declaredNames(code, 'anywhere'),
    ...[...code.matchAll(IMPORT)].flatMap(([, clause]) => importedNames(clause!)),
  ]);

/** Whether the code uses a name as a variable, not as a member or in a text. */
function uses(code: string, name: string): boolean {
  const plain = code.replace(/\/\/.*$/gm, '').replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");
  return new RegExp(`(?<![.\\w$])${name}(?![\\w$]|\\s*:(?!:))`).test(plain);
}

/**
 * Adds what a snippet takes for granted: imports and variables of earlier snippets of the page, and fixtures. So a page
 * can go on where the snippet before ended, as readers do.
 */
export function completeCode(
  snippet: Snippet,
  earlier: readonly Snippet[],
  fixtures: Record<string, string>,
): string {
  let code = snippet.code;
  for (const previous of earlier.toReversed()) {
    const known = knownNames(code);
    const needed = (name: string) => !known.has(name) && uses(code, name);
    const declares = declaredNames(previous.code, 'top level');
    const imports = [...previous.code.matchAll(IMPORT)].filter(([, clause]) =>
      importedNames(clause!).some(needed),
    );
    const clashes = declares.some((name) => known.has(name));
    if (declares.some(needed) && !clashes) code = `${previous.code}\n${code}`;
    else if (imports.length > 0) code = `${imports.map(([text]) => text).join('\n')}\n${code}`;
  }
  const declared = knownNames(code);
  const missing = Object.keys(fixtures).filter((name) => !declared.has(name) && uses(code, name));
  return [...missing.map((name) => fixtures[name]!), code].join('\n');
}

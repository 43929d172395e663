import { expect, it } from 'vitest';
import { importsIn, PRODUCT, type Source } from './support/sources.ts';

/** Groups of files that import each other, directly or through others; type imports count. */
function circles(sources: readonly Source[]): string[][] {
  const targets = new Map(sources.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  // Tarjan's algorithm.
  const visit = (path: string): number => {
    let low = order.size;
    order.set(path, low);
    const own = low;
    open.push(path);
    for (const target of targets.get(path)!) {
      if (!targets.has(target)) continue;
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, order.get(target)!);
    }
    lowest.set(path, low);
    if (low === own) {
      const group = open.splice(open.indexOf(path));
      if (group.length > 1 || targets.get(path)!.includes(path)) found.push(group);
    }
    return low;
  };
  for (const { path } of sources) if (!order.has(path)) visit(path);
  return found;
}

const source = (path: string, text: string): Source => ({ path, imports: importsIn(text, path) });

it('no files import each other', () => {
  expect(circles(PRODUCT)).toEqual([]);
});

it('reports circles of values and types, over several files', () => {
  const examples = [
    source('a/one.ts', "import { two } from './two.ts';"),
    source('a/two.ts', "import type { Three } from '../b/three.ts';"),
    source('b/three.ts', "export { one } from '../a/one.ts';"),
    source('b/four.ts', "import { one } from '../a/one.ts';"),
  ];
  expect(circles(examples).map((group) => group.sort())).toEqual([['a/one.ts', 'a/two.ts', 'b/three.ts']]);
});

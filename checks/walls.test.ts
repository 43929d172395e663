import { describe, expect, it } from 'vitest';
import { type Import, importsIn, PATHS, PRODUCT, read, type Source } from './support/sources.ts';

/** What the files of a folder may import; everything else is a violation. */
interface Wall {
  name: string;
  of: RegExp;
  files: readonly RegExp[];
  packages: RegExp;
  /** An import that must be reported: the path of a file, and what it says. */
  example: readonly [path: string, text: string];
  /** Files outside of the product, such as the models of tests. */
  sources?: readonly Source[];
}

const NO_PACKAGE = /^$/;
const ANY_PACKAGE = /^/;
const CORE = /^packages\/core\/src\//;
/** For the version. */
const MANIFEST = /^packages\/server\/package\.json$/;

/** Rooms of the server, from the ground up; each imports only rooms below it. Rooms of one floor do not import each other. */
const FLOORS: readonly (readonly string[])[] = [
  ['platform'],
  ['configuration', 'events'],
  ['operations'],
  ['http'],
  ['features'],
  ['jobs'],
  ['cluster'],
  ['start'],
  ['cli'],
];
/** The same inside of rooms. */
const INNER_FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  configuration: [
    ['property'],
    ['words', 'phases'],
    ['database'],
    ['audit', 'definitions'],
    ['snapshot', 'changes'],
    ['history'],
    ['writer'],
  ],
  events: [['store'], ['intake', 'duckdb', 'clickhouse'], ['thread']],
  http: [['contract'], ['access'], ['limits', 'static'], ['pipeline', 'streams', 'openapi'], ['monitoring']],
};
const SERVER = 'packages/server/src';

function wallsOfFloors(
  base: string,
  floors: readonly (readonly string[])[],
  below: readonly string[],
): Wall[] {
  return floors.flatMap((rooms, index) =>
    rooms.map((room): Wall => {
      const lower = floors.slice(0, index).flat();
      const allowed = [...below, ...[room, ...lower].map((name) => `${base}/${name}/`)];
      const forbidden = [...rooms, ...floors.slice(index + 1).flat()].find((name) => name !== room);
      return {
        name: `${base.slice(SERVER.length + 1)}/${room} imports only what is below it`.replace(/^\//, ''),
        of: new RegExp(`^${base}/${room}/`),
        files: [CORE, MANIFEST, ...allowed.map((path) => new RegExp(`^${path}`))],
        packages: ANY_PACKAGE,
        example: [
          `${base}/${room}/some-file.ts`,
          forbidden === undefined
            ? "import { a } from '../../../dashboard/src/app.ts';"
            : `import type { A } from '../${forbidden}/a.ts';`,
        ],
      };
    }),
  );
}

const roomsBelow = (room: string) =>
  FLOORS.slice(
    0,
    FLOORS.findIndex((rooms) => rooms.includes(room)),
  )
    .flat()
    .map((name) => `${SERVER}/${name}/`);

const FEATURES = [
  ...new Set(PATHS.map((path) => /^packages\/server\/src\/features\/([^/]+)\//.exec(path)?.[1])),
].filter((name) => name !== undefined);

const SDK_CORE = /^packages\/core\/src\/(evaluation\/|cleaning\/|retry-after\.ts$)/;
const SDK_SHARED = /^packages\/sdk\/src\/(client|narration)\//;

const sourcesIn = (pattern: RegExp): Source[] =>
  PATHS.filter((path) => pattern.test(path)).map((path) => ({ path, imports: importsIn(read(path), path) }));

const WALLS: readonly Wall[] = [
  {
    name: 'the schemas of core import only the schema library',
    of: /^packages\/core\/src\/api\//,
    files: [/^packages\/core\/src\/api\//],
    packages: /^typebox$/,
    example: ['packages/core/src/api/a.ts', "import { hash } from '../evaluation/hash.ts';"],
  },
  {
    name: 'core imports no package',
    of: /^packages\/core\/src\/(?!api\/)/,
    files: [CORE],
    packages: NO_PACKAGE,
    example: ['packages/core/src/stats/a.ts', "import { readFileSync } from 'node:fs';"],
  },
  {
    name: 'browser code of the SDK imports only evaluation and cleaning of core',
    of: /^packages\/sdk\/src\/(client|browser|audience|debug|narration)\//,
    files: [SDK_CORE, /^packages\/sdk\/src\/(client|browser|audience|debug|narration)\//],
    packages: NO_PACKAGE,
    example: ['packages/sdk/src/client/a.ts', "import { join } from 'node:path';"],
  },
  {
    name: 'the React entry of the SDK imports only React',
    of: /^packages\/sdk\/src\/react\//,
    files: [SDK_CORE, /^packages\/sdk\/src\//],
    packages: /^react$/,
    example: ['packages/sdk/src/react/a.ts', "import { createRoot } from 'react-dom/client';"],
  },
  {
    name: 'the Node entry of the SDK imports no code for pages',
    of: /^packages\/sdk\/src\/node\//,
    files: [SDK_CORE, SDK_SHARED, /^packages\/sdk\/src\/(node\/|[^/]+$)/],
    packages: /^(node:.+|re2js|isbot)$/,
    example: ['packages/sdk/src/node/a.ts', "import { b } from '../browser/b.ts';"],
  },
  {
    name: 'the OpenFeature entry of the SDK imports only OpenFeature',
    of: /^packages\/sdk\/src\/openfeature\//,
    files: [SDK_CORE, /^packages\/sdk\/src\//],
    packages: /^@openfeature\/(core|server-sdk)$/,
    example: ['packages/sdk/src/openfeature/a.ts', "import { readFile } from 'node:fs/promises';"],
  },
  {
    name: 'the dashboard imports only core',
    of: /^packages\/dashboard\/src\//,
    files: [CORE, /^packages\/dashboard\/src\//],
    packages: /^(?!node:)/,
    example: [
      'packages/dashboard/src/features/a.ts',
      "import { b } from '../../../server/src/platform/version.ts';",
    ],
  },
  {
    name: 'the components of the dashboard know no feature',
    of: /^packages\/dashboard\/src\/ui\//,
    files: [/^packages\/core\/src\/time-zone\.ts$/, /^packages\/dashboard\/src\/(ui\/|api\.ts$)/],
    packages: /^(?!node:)/,
    example: [
      'packages/dashboard/src/ui/fields/a.tsx',
      "import { FlagPage } from '../../features/flags/flag-page.tsx';",
    ],
  },
  {
    name: 'the documentation imports nothing of the product',
    of: /^packages\/docs\/src\//,
    files: [/^packages\/docs\/src\//],
    packages: ANY_PACKAGE,
    example: ['packages/docs/src/site/a.ts', "import { b } from '@switchyard/core/time';"],
  },
  {
    name: 'the naive analysis of the test with a known truth imports nothing of the product',
    of: /^e2e\/truth\/(naive\/|history\.ts$)/,
    files: [/^e2e\/truth\/(naive\/|history\.ts$)/],
    packages: NO_PACKAGE,
    example: ['e2e/truth/naive/a.ts', "import { compare } from '@switchyard/core/stats/analysis';"],
    sources: sourcesIn(/^e2e\/truth\//),
  },
  ...wallsOfFloors(SERVER, FLOORS, []),
  ...Object.entries(INNER_FLOORS).flatMap(([room, floors]) =>
    wallsOfFloors(`${SERVER}/${room}`, floors, roomsBelow(room)),
  ),
  ...FEATURES.map(
    (feature): Wall => ({
      name: `the feature ${feature} imports no other one`,
      of: new RegExp(`^${SERVER}/features/${feature}/`),
      files: [
        CORE,
        ...[...roomsBelow('features'), `${SERVER}/features/${feature}/`].map(
          (path) => new RegExp(`^${path}`),
        ),
      ],
      packages: ANY_PACKAGE,
      example: [`${SERVER}/features/${feature}/a.ts`, "import { b } from '../another/b.ts';"],
    }),
  ),
];

/** The imports that a wall does not allow, as sentences. */
function violations({ of, files, packages }: Wall, sources: readonly Source[]): string[] {
  const isAllowed = ({ target, isFile }: Import) =>
    isFile ? files.some((pattern) => pattern.test(target)) : packages.test(target);
  return sources
    .filter(({ path }) => of.test(path))
    .flatMap(({ path, imports }) =>
      imports.filter((each) => !isAllowed(each)).map(({ target }) => `${path} imports ${target}`),
    );
}

describe('import walls', () => {
  it.each(WALLS)('$name', (wall) => {
    const sources = wall.sources ?? PRODUCT;
    expect(sources.some(({ path }) => wall.of.test(path))).toBe(true);
    expect(violations(wall, sources)).toEqual([]);
  });

  it.each(WALLS)('report an example: $name', (wall) => {
    const [path, text] = wall.example;
    expect(violations(wall, [{ path, imports: importsIn(text, path) }])).toHaveLength(1);
  });

  it('cover all of the server', () => {
    const rooms = new RegExp(`^${SERVER}/(${FLOORS.flat().join('|')})/`);
    const outside = PRODUCT.map(({ path }) => path).filter(
      (path) => path.startsWith(SERVER) && !rooms.test(path),
    );
    expect(outside).toEqual([]);
    for (const [room, floors] of Object.entries(INNER_FLOORS)) {
      const inner = new RegExp(`^${SERVER}/${room}/(${floors.flat().join('|')})/`);
      const loose = PRODUCT.filter(({ path }) => path.startsWith(`${SERVER}/${room}/`) && !inner.test(path));
      expect(loose.map(({ path }) => path)).toEqual([]);
    }
  });
});

describe('the schema library', () => {
  /** Imports of values from files of core's API that need the schema library, which would end up in browsers. */
  function schemaImports(sources: readonly Source[]): string[] {
    const needsLibrary = (target: string) =>
      target.startsWith('packages/core/src/api/') && (importsOf.get(target)?.length ?? 1) > 0;
    return sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ target, isTypeOnly }) => !isTypeOnly && needsLibrary(target))
        .map(({ target }) => `${path} imports ${target}`),
    );
  }
  const importsOf = new Map(PRODUCT.map(({ path, imports }) => [path, imports]));
  const inBrowsers = /^packages\/(dashboard\/src|core\/src\/evaluation)\//;

  it('is not in browsers', () => {
    expect(schemaImports(PRODUCT.filter(({ path }) => inBrowsers.test(path)))).toEqual([]);
  });

  it('is reported', () => {
    const path = 'packages/dashboard/src/features/flags/a.ts';
    const text = "import { Segment } from '@switchyard/core/api/targeting';";
    expect(schemaImports([{ path, imports: importsIn(text, path) }])).toHaveLength(1);
  });
});

describe('imports', () => {
  it('are found in all their forms', () => {
    const text = [
      "import a from './a.ts';",
      "import { b } from '../b.ts';",
      "import type { C } from 'c';",
      "import {\n  d,\n} from '@switchyard/core/d';",
      "export * from './e.ts';",
      "import 'node:f';",
      "const g = await import('./g.ts');",
      "// import { h } from './h.ts';",
      "/** import { i } from './i.ts'; */",
    ].join('\n');
    expect(importsIn(text, 'packages/x/y/z.ts').map(({ target }) => target)).toEqual([
      'packages/x/y/a.ts',
      'packages/x/b.ts',
      'c',
      'packages/core/src/d.ts',
      'packages/x/y/e.ts',
      'node:f',
      'packages/x/y/g.ts',
    ]);
  });
});

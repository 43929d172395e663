import type { SplitTestDefinition } from './split-tests.ts';

/**
 * Decides who belongs to the audiences of split tests. Pages load it only when a test has one. It is built apart from the
 * client, so none of these names is mangled.
 */
export interface Audiences {
  /** @param known ids and the attributes that the page has set */
  includes(test: SplitTestDefinition, known: object): boolean;
  /** The visitor was exposed. Without an audience it does nothing, otherwise the visitor stays in the test. */
  remember(testKey: string, phase: number | undefined): void;
}

/** Loads what the tests need. The parameters are in order, because members of objects would be mangled. */
export type OpenAudiences = (
  tests: readonly SplitTestDefinition[],
  read: (key: string) => unknown,
  write: (key: string, value: unknown) => void,
  readCookies: () => string | undefined,
  writeCookie: (name: string, value: string, maxAgeSeconds: number) => void,
  entryKey: string,
) => Promise<Audiences>;

/** First-party cookie with the tests whose audience the visitor belonged to when exposed, read by servers and pages. */
export const AUDIENCE_COOKIE = 'sy_audience';
/** Longer than nearly all tests run. */
export const AUDIENCE_SECONDS = 90 * 24 * 60 * 60;

const MAX_TESTS = 20;

/** A later phase may have another audience. */
const entryOf = (testKey: string, phase = 0) => `${testKey}:${phase}`;

const entriesIn = (cookies: string | null | undefined): string[] =>
  /\bsy_audience=([\w.:~-]+)/.exec(`${cookies}`)?.[1]?.split('~') ?? [];

/** Whether the visitor stays in the test, whatever the attributes are now. */
export const isKept = (cookies: string | null | undefined, testKey: string, phase?: number): boolean =>
  entriesIn(cookies).includes(entryOf(testKey, phase));

/** The value of the cookie with one more test; if there are very many, the oldest is left out. */
export const keepTest = (cookies: string | null | undefined, testKey: string, phase?: number): string =>
  [...entriesIn(cookies).filter((entry) => !entry.startsWith(`${testKey}:`)), entryOf(testKey, phase)]
    .slice(-MAX_TESTS)
    .join('~');

import { type Context, readAttribute } from '@switchyard/core/evaluation/attribute-values';
import { isInAudience } from '@switchyard/core/evaluation/audience';
import * as values from '@switchyard/core/evaluation/audience-values';
import { AUDIENCE_COOKIE, isKept, keepTest } from '../../client/audience-cookie.ts';
import type { SplitTestDefinition } from '../../client/split-tests.ts';
import { compileRuleRegex } from '../flags/rule-regex.ts';
import { queryOf, type RequestFacts } from '../request-facts.ts';

const MAX_PATTERNS = 1000;
const patterns = new Map<string, (text: string) => boolean>();

/** Compiling takes longer than a search, and every request needs the same patterns. */
function regex(pattern: string, caseInsensitive: boolean): (text: string) => boolean {
  const key = `${caseInsensitive} ${pattern}`;
  const known = patterns.get(key);
  if (known) return known;
  const compiled = compileRuleRegex(pattern, caseInsensitive);
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  patterns.set(key, compiled);
  return compiled;
}

interface Visitor {
  facts: RequestFacts;
  /** What the caller knows, which counts before what the request tells. */
  attributes: Record<string, unknown> | undefined;
  ids: Record<string, string | undefined>;
}

/** Which audiences the visitor of a request belongs to, decided once per test. */
export class RequestAudiences {
  readonly #facts: RequestFacts;
  readonly #given: Record<string, unknown>;
  #attributes: Context | undefined;
  readonly #decisions = new Map<string, boolean>();
  #cookie: string | undefined;
  #query: URLSearchParams | undefined;

  constructor({ facts, attributes, ids }: Visitor) {
    this.#facts = facts;
    this.#given = { ...ids, ...attributes };
  }

  includes(test: SplitTestDefinition): boolean {
    const { key, phase, audience } = test;
    if (!audience) return true;
    const known = this.#decisions.get(key);
    if (known !== undefined) return known;
    const isIncluded = isKept(this.#facts.cookies, key, phase) || this.#matches(audience);
    this.#decisions.set(key, isIncluded);
    return isIncluded;
  }

  #matches(audience: NonNullable<SplitTestDefinition['audience']>): boolean {
    this.#attributes ??= plainCopy(this.#given);
    const attributes = this.#attributes;
    const read = (name: string) => readAttribute(attributes, name) ?? this.#requestAttribute(name);
    try {
      return isInAudience(audience, read, { regex, values });
    } catch {
      // A condition that only later versions know.
      return false;
    }
  }

  /** The visitor was exposed, and stays in the test when attributes change. Each exposure prolongs the cookie. */
  remember({ key, phase, audience }: SplitTestDefinition): void {
    const current = this.#cookie ? `${AUDIENCE_COOKIE}=${this.#cookie}` : this.#facts.cookies;
    if (audience) this.#cookie = keepTest(current, key, phase);
  }

  /** The value of the cookie; `undefined` if the request has exposed the visitor to no such test. */
  get cookie(): string | undefined {
    return this.#cookie;
  }

  #requestAttribute(name: string): unknown {
    const { url, userAgent, referrer, language } = this.#facts;
    const [, kind, key = ''] = /^(query|utm)\.(.*)$/s.exec(name) ?? [];
    if (kind) {
      this.#query ??= queryOf(url);
      return this.#query.get(kind === 'utm' ? `utm_${key}` : key) ?? undefined;
    }
    switch (name) {
      case 'path':
        return url === undefined ? undefined : pathOf(url);
      case 'userAgent':
        return userAgent;
      case 'referrer':
        return referrer?.split('?')[0] || undefined;
      case 'language':
        return language;
      default:
        return undefined;
    }
  }
}

/** As pages send it; without anything if it cannot be sent. */
function plainCopy(attributes: object): Context {
  try {
    return JSON.parse(JSON.stringify(attributes));
  } catch {
    return {};
  }
}

const pathOf = (url: string) => url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';

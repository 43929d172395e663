import { RE2JS } from 're2js';

/** The `matches` operator, as in the service: finds the pattern anywhere in the text, in linear time. */
export function compileRuleRegex(pattern: string, caseInsensitive: boolean): (text: string) => boolean {
  const compiled = RE2JS.compile(pattern, caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0);
  return (text) => compiled.test(text);
}

import { RE2JS } from 're2js';

/** The `matches` operator, as the service runs it: found anywhere in the text, in linear time whatever the pattern. */
export function compileRuleRegex(pattern: string, caseInsensitive: boolean): (text: string) => boolean {
  const compiled = RE2JS.compile(pattern, caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0);
  return (text) => compiled.test(text);
}

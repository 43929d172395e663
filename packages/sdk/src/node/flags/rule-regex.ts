import { checkPatternSteps } from '@switchyard/core/evaluation/operators';
import { RE2JS } from 're2js';

/** The `matches` operator, as in the service: finds the pattern anywhere in the text, in linear time. */
export function compileRuleRegex(pattern: string, caseInsensitive: boolean): (text: string) => boolean {
  const compiled = RE2JS.compile(pattern, caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0);
  checkPatternSteps(compiled.programSize());
  return (text) => compiled.test(text);
}

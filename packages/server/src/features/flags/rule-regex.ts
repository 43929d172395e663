import { checkPatternSteps } from '@switchyard/core/evaluation/operators';
import { RE2JS } from 're2js';

/** The `matches` operator: searches the text in linear time, whatever the pattern. */
export function compileRuleRegex(pattern: string, caseInsensitive: boolean): (text: string) => boolean {
  const compiled = RE2JS.compile(pattern, caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0);
  checkPatternSteps(compiled.programSize());
  return (text) => compiled.test(text);
}

import { ruleRegex } from '@switchyard/core/evaluation/rule-regex';
import { RE2JS } from 're2js';

// Not inferred: the declarations of the package must not need those of core.
export const compileRuleRegex: (pattern: string, caseInsensitive: boolean) => (text: string) => boolean =
  ruleRegex(RE2JS);

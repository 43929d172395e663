import { ruleRegex } from '@switchyard/core/evaluation/rule-regex';
import { RE2JS } from 're2js';

export const compileRuleRegex = ruleRegex(RE2JS);

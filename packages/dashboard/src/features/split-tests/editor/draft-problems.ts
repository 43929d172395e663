import { missingIn } from '../../outcomes/audience-gaps.ts';
import { maxHarmOf } from '../../outcomes/outcome-options.ts';
import type { SplitTestDraft } from './split-test-draft.ts';

export interface DraftProblem {
  /** JSON pointer of the field. */
  pointer: string;
  detail: string;
  /** Nothing is entered yet, which is shown only after an attempt to save. */
  isMissing?: boolean;
}

const KEY_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const KEY_HINT = 'Use letters, digits, ".", "_" or "-", starting with a letter or digit';

/**
 * What can be told without asking the server.
 * @param otherKeys keys of the other tests; for a new test
 */
export function draftProblems(draft: SplitTestDraft, otherKeys: ReadonlySet<string>): DraftProblem[] {
  const { name, key, trafficAllocation, exclusion, startAt, stopAt } = draft;
  const problems: DraftProblem[] = [];
  const report = (pointer: string, detail: string, isMissing = false) =>
    problems.push({ pointer, detail, isMissing });
  if (draft.version === undefined && !name) report('/name', 'Enter a name', true);
  if (key === '') report('/key', 'Enter a key', true);
  else if (!KEY_PATTERN.test(key)) report('/key', KEY_HINT);
  else if (otherKeys.has(key)) report('/key', 'Another split test has this key');
  reportVariations(draft, report);
  if (!(trafficAllocation >= 0 && trafficAllocation <= 100)) {
    report('/trafficAllocation', 'Enter a percentage from 0 to 100');
  }
  reportAudience(draft, report);
  if (exclusion && !KEY_PATTERN.test(exclusion.group)) report('/exclusion/group', KEY_HINT);
  if (exclusion && !(exclusion.share > 0 && exclusion.share <= 100)) {
    report('/exclusion/share', 'Enter a percentage above 0, up to 100');
  }
  for (const [index, guardrail] of draft.guardrails.entries()) {
    const maxHarm = maxHarmOf(guardrail);
    if (maxHarm !== null && !(maxHarm > 0 && maxHarm <= 10)) {
      report(`/guardrails/${index}/maxHarm`, 'Enter a percentage above 0, up to 1000');
    }
  }
  if (startAt !== null && stopAt !== null && Number(stopAt) <= Number(startAt)) {
    report('/stopAt', 'The end must be after the start');
  }
  return problems;
}

type Report = (pointer: string, detail: string, isMissing?: boolean) => void;

function reportVariations({ type, variations }: SplitTestDraft, report: Report): void {
  const keys = variations.map(({ key }) => key);
  for (const [index, { key, value }] of variations.entries()) {
    const place = `/variations/${index}`;
    if (key === '') report(`${place}/key`, 'Enter a key', true);
    else if (!KEY_PATTERN.test(key)) report(`${place}/key`, KEY_HINT);
    else if (keys.indexOf(key) !== index) report(`${place}/key`, 'Another variation has this key');
    if (type === 'json') {
      const problem = jsonProblem(value);
      if (problem) report(`${place}/value`, problem, value.trim() === '');
    }
  }
  if (!variations.some(({ weight }) => weight > 0)) {
    report('/variations', 'At least one variation needs a weight above 0');
  }
}

function reportAudience({ audience }: SplitTestDraft, report: Report): void {
  if (!audience) return;
  if (audience.conditions.length === 0)
    report('/audience/conditions', 'Add a condition, or let all visitors take part', true);
  for (const { pointer, detail } of missingIn(audience)) report(pointer, detail, true);
}

/** Why a text is not JSON, in one sentence; undefined if it is. */
function jsonProblem(text: string): string | undefined {
  if (text.trim() === '') return 'Enter JSON, such as {"title": "Hello"}';
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/ in JSON.*$|, "[\s\S]*$/, '') : '';
    return `Not valid JSON: ${reason}${placeIn(text, error)}`;
  }
}

/** Browsers name the position in different ways, or not at all. */
function placeIn(text: string, error: unknown): string {
  const position = /position (\d+)/.exec(String(error))?.[1];
  if (position === undefined) return '';
  const before = text.slice(0, Number(position)).split('\n');
  return `, line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

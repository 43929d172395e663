import type { ExplanationBody } from '@switchyard/core/api/explanations';
import { jsonProblem } from '../../../ui/fields/json-problem.ts';

/** What is entered under "Try it". */
export interface TryInput {
  mode: 'attributes' | 'json' | 'session';
  rows: { name: string; value: string }[];
  json: string;
  session: string;
}

type Context = Pick<ExplanationBody, 'context' | 'sessionId'>;

/** The part of the request that says who is asking, or what is missing. */
export function contextOf({ mode, rows, json, session }: TryInput): Context | { problem: string } {
  if (mode === 'session') {
    return session.trim() === '' ? { problem: 'Enter the id of a session' } : { sessionId: session.trim() };
  }
  if (mode === 'json') return parseContext(json);
  const filled = rows.filter(({ name, value }) => name.trim() !== '' && value !== '');
  return { context: Object.fromEntries(filled.map(({ name, value }) => [name.trim(), value])) };
}

function parseContext(json: string): Context | { problem: string } {
  const problem = jsonProblem(json);
  if (problem !== undefined) return { problem };
  const context: unknown = JSON.parse(json);
  if (typeof context === 'object' && context !== null && !Array.isArray(context)) {
    return { context: context as Record<string, unknown> };
  }
  return { problem: 'The context must be a JSON object' };
}

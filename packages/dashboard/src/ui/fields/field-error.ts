import { ApiProblem } from '../../api.ts';

/** What the server said about one field of the body, or about anything inside it. */
export function fieldError(error: unknown, pointer: string): string | undefined {
  if (!(error instanceof ApiProblem)) return undefined;
  const found = error.fields.filter(
    (each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`),
  );
  if (found.length === 0) return undefined;
  return found.map(({ detail }) => `${detail.charAt(0).toUpperCase()}${detail.slice(1)}`).join('. ');
}

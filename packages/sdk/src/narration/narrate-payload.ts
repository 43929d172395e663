/** What a request contains, such as "2 exposures" or "1 event, 2 exposures". */
export function narratePayload(path: string, body: unknown): string {
  const { exposures, events, goalId, feedbackTypeId } = parse(body);
  const parts = [...countOf(events, 'event'), ...countOf(exposures, 'exposure')];
  if (parts.length > 0) return parts.join(', ');
  if (path.endsWith('/sessions/collect')) return 'session';
  if (typeof goalId === 'string') return `goal ${goalId}`;
  if (typeof feedbackTypeId === 'string') return `feedback ${feedbackTypeId}`;
  return '';
}

function countOf(list: unknown, noun: string): string[] {
  if (!Array.isArray(list) || list.length === 0) return [];
  return [`${list.length} ${noun}${list.length === 1 ? '' : 's'}`];
}

function parse(body: unknown): Record<string, unknown> {
  try {
    return (typeof body === 'string' ? JSON.parse(body) : body) ?? {};
  } catch {
    return {};
  }
}

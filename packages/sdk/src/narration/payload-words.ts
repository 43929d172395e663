/** What a request contains, such as "2 exposures" or "session, 1 event". */
export function payloadWords(path: string, body: unknown): string {
  const { exposures, events, goalId, feedbackTypeId } = parse(body);
  if (Array.isArray(exposures)) return count(exposures.length, 'exposure');
  if (path.endsWith('/sessions/collect')) {
    return Array.isArray(events) && events.length > 0 ? count(events.length, 'event') : 'session';
  }
  if (typeof goalId === 'string') return `goal ${goalId}`;
  if (typeof feedbackTypeId === 'string') return `feedback ${feedbackTypeId}`;
  return '';
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

function parse(body: unknown): Record<string, unknown> {
  try {
    return (typeof body === 'string' ? JSON.parse(body) : body) ?? {};
  } catch {
    return {};
  }
}

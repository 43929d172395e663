import type { DatabaseHandle } from '../../storage/database.ts';
import type { EventQuestions } from '../../storage/event-log.ts';
import { finish, pending, subjectOf } from './erasure-store.ts';

/** Carries out what `forget` asked for, oldest first; returns how many requests that were. */
export async function runPendingErasures(
  handle: DatabaseHandle,
  questions: Pick<EventQuestions, 'forget'>,
  onErased: () => void,
): Promise<number> {
  const requests = await pending(handle.database);
  for (const request of requests) {
    const { rows } = await questions.forget(subjectOf(request));
    onErased();
    await finish(handle, request.id, { rows });
  }
  return requests.length;
}

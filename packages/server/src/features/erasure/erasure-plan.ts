import type { ErasurePlan } from '@switchyard/core/api/management';
import type { PersonalSubject, SubjectContents } from '../../events/store/erasure-subject.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { namedBy } from './suppression-store.ts';

/** Sent to the report thread. */
export interface SubjectContentsRequest {
  type: 'subject-contents';
  subject: PersonalSubject;
}

/** On the report thread: a subject may have very many sessions. */
export async function subjectContentsReport(
  eventStore: Pick<EventStoreClient, 'subjectContents'>,
  { subject }: SubjectContentsRequest,
): Promise<{ contentType: string; text: string }> {
  const text = JSON.stringify(await eventStore.subjectContents(subject));
  return { contentType: 'application/json; charset=utf-8', text };
}

export function erasurePlan(subject: PersonalSubject, erases: SubjectContents): ErasurePlan {
  const { kind, id } = namedBy(subject);
  const summary = [
    `Erases what is stored about the ${kind} ${JSON.stringify(id)}: ${describeContents(erases)}.`,
  ];
  return { dryRun: true, changes: [], summary, warnings: ['This cannot be undone.'], erases };
}

/** Such as "2 sessions of 1 visitor, with 7 events, 1 exposure, 0 conversions and 1 feedback entry". */
function describeContents(contents: SubjectContents): string {
  const { visitors, sessions, events, exposures, conversions, feedback } = contents;
  const entries = `${count(conversions, 'conversion')} and ${count(feedback, 'feedback entry', 'feedback entries')}`;
  if (sessions === 0) return entries;
  return `${count(sessions, 'session')} of ${count(visitors, 'visitor')}, with ${count(events, 'event')}, ${count(exposures, 'exposure')}, ${entries}`;
}

const count = (number: number, one: string, several = `${one}s`) =>
  `${number} ${number === 1 ? one : several}`;

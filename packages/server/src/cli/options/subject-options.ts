import type { PersonQuery } from '@switchyard/core/api/people';
import type { PersonalSubject } from '../../events/store/erasure-subject.ts';
import { CliError } from '../output/cli-error.ts';

export interface SubjectOptions {
  property: string;
  visitor?: string;
  user?: string;
  session?: string;
  feedback?: string;
  /** `key=value` */
  metadata?: string;
}

/** The one subject that the options name. */
export function subjectOf(options: SubjectOptions): PersonalSubject {
  const { property: propertyId, visitor, user, session, feedback, metadata } = options;
  const subjects: PersonalSubject[] = [];
  if (visitor) subjects.push({ propertyId, visitorId: visitor });
  if (user) subjects.push({ propertyId, userId: user });
  if (session) subjects.push({ propertyId, sessionId: session });
  if (feedback) subjects.push({ propertyId, feedbackId: feedback });
  if (metadata) subjects.push({ propertyId, metadata: pairOf(metadata) });
  const [subject] = subjects;
  if (subject === undefined || subjects.length > 1) {
    throw new CliError('Pass exactly one of --visitor, --user, --session, --feedback and --metadata.');
  }
  return subject;
}

/** A visitor, a user or a session. */
export function personOf(options: SubjectOptions): { propertyId: string; person: PersonQuery } {
  const { propertyId, ...person } = subjectOf(options);
  if ('feedbackId' in person || 'metadata' in person) {
    throw new CliError('Pass exactly one of --visitor, --user and --session.');
  }
  return { propertyId, person };
}

function pairOf(text: string): { key: string; value: string } {
  const at = text.indexOf('=');
  if (at === -1) throw new CliError('--metadata must be KEY=VALUE.');
  return { key: text.slice(0, at), value: text.slice(at + 1) };
}

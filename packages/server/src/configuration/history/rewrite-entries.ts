import { appendAudit } from '../audit/audit-log.ts';
import type { Database } from '../database/database.ts';
import type { HistoryRow, HistoryText } from './history-chain.ts';
import { replaceText } from './history-store.ts';

export interface RewrittenEntry extends Pick<HistoryRow, 'property_id' | 'sequence'> {
  text: HistoryText;
}

/**
 * Replaces the text of entries, in the caller's transaction. Their hashes stay valid: they cover a commitment to the
 * original text, which nobody can guess without the salt. The new text is recorded in the audit log.
 */
export async function rewriteEntries(database: Database, entries: readonly RewrittenEntry[]): Promise<void> {
  for (const { property_id, sequence, text } of entries) {
    await replaceText(database, property_id, sequence, text);
  }
  await appendAudit(
    database,
    entries.map(({ property_id, sequence, text }) => ({
      kind: 'redaction',
      subject: redactionSubject(property_id, sequence),
      content: textContent(text),
    })),
  );
}

export const redactionSubject = (propertyId: string, sequence: number): string => `${propertyId}/${sequence}`;

export const textContent = ({ actor_name, comment, changes }: HistoryText): readonly unknown[] => [
  actor_name,
  comment,
  changes,
];

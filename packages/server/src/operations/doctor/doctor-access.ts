import { verifyAuditLog } from '../../configuration/audit/verify-audit-log.ts';
import { type DatabaseSource, readDatabase } from '../../configuration/database/open-database.ts';
import { type Check, firstLine } from './doctor-check.ts';

const NAME = 'Access';
const MAX_PROBLEMS = 20;
const HINT =
  'Keys, roles, owners or accounts were changed by something other than Switchyard. Keep a copy of the database, find out who did it, and undo that or restore the last backup. Then replace the keys and passwords in question.';

/** Checks everything that gives access against the log of its changes; changes nothing. */
export async function checkAccess(source: DatabaseSource): Promise<Check[]> {
  try {
    const { problems, entries, checked } = await readDatabase(source, verifyAuditLog);
    if (problems.length > 0) {
      return problems
        .slice(0, MAX_PROBLEMS)
        .map((detail) => ({ name: NAME, status: 'fail', detail, hint: HINT }));
    }
    const { key, member, account, token } = checked;
    const detail = `as Switchyard has saved it; keys: ${key}, members: ${member}, accounts and owners: ${account}, access tokens: ${token}, entries of the log: ${entries}`;
    return [{ name: NAME, status: 'ok', detail }];
  } catch (error) {
    return [{ name: NAME, status: 'fail', detail: `cannot be read: ${firstLine(error)}`, hint: HINT }];
  }
}

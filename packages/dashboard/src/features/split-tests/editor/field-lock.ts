import type { SplitTest } from '../../configuration/configuration-types.ts';
import { useProperty } from '../../configuration/property-context.tsx';

export interface FieldLock {
  /** Why name, description, hypothesis, owner and tags cannot change; undefined: they can. */
  notes: string | undefined;
  /** The same for everything that determines the test. */
  definition: string | undefined;
  /** The same for the type, the start and the primary goal. */
  start: string | undefined;
}

/** Which fields the status of a test and the role of the account allow to change, and why not. */
export function useFieldLock(stored: SplitTest | undefined): FieldLock {
  const { may } = useProperty();
  const status = stored?.status ?? 'draft';
  if (!may('editor')) return locked('You need the editor role to change split tests.');
  if (status === 'archived') return locked('The test is archived.');
  if (status === 'stopped') {
    const reason = 'The test is stopped, so its results are final.';
    return { notes: undefined, definition: reason, start: reason };
  }
  const hasStarted = status !== 'draft';
  return {
    notes: undefined,
    definition: undefined,
    start: hasStarted ? 'Cannot change after the test has started' : undefined,
  };
}

const locked = (reason: string): FieldLock => ({ notes: reason, definition: reason, start: reason });

import type { DryRun } from '@switchyard/core/api/management';
import type { ReactNode } from 'react';
import type { Static } from 'typebox';
import type { ItemType } from '../configuration/configuration-types.ts';

/** A write that is reviewed before it is sent. */
export interface ChangeRequest {
  /** Heading of the review sheet, such as "Save flag new-checkout". */
  title: string;
  /** Label of the button that confirms. Default: `Save` */
  confirmLabel?: string;
  isDestructive?: boolean;
  /** What follows from it, where what changes does not tell. */
  consequence?: string;
  /** What to know before confirming; it loads by itself. */
  details?: ReactNode;
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path of the API, without a query. */
  path: string;
  body?: unknown;
  /** The body of a `PATCH` has all fields of the form, so that a conflict can be solved in it as in that of a `PUT`. */
  isWholeDocument?: boolean;
  /** Version that the change is based on; undefined creates. */
  version?: number | undefined;
  /** The item that changes, to update the configuration in memory. */
  item?: { type: ItemType; key: string };
  /** Shows who would be affected; `definition` is the new document, null for a deletion. */
  impact?: { type: 'flag' | 'segment' | 'split-test'; key: string; definition: object | null };
  /** Environments that this change touches: a protected one makes the comment mandatory. */
  environments?: readonly string[];
  /** Proposed comment. */
  comment?: string;
}

export type ReviewOutcome =
  /** `response` is the body of the response. */
  | { outcome: 'saved'; response: unknown }
  /** An editor's change of a protected environment waits for approval. */
  | { outcome: 'proposed' }
  /** The same fields were changed meanwhile, and the user wants to go on with this document. */
  | { outcome: 'rebased'; current: object; merged: object }
  | { outcome: 'cancelled' };

export type DryRunResult = Static<typeof DryRun>;

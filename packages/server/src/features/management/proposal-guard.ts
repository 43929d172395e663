import { hasRole } from '@switchyard/core/api/roles';
import type { FastifyRequest } from 'fastify';
import type { Changed } from '../../storage/changes/configuration-writer.ts';
import { changedItems } from '../../storage/changes/item-changes.ts';
import { affectedEnvironments } from '../../storage/changes/protected-environments.ts';
import type { PropertyConfiguration } from '../../storage/property-configuration.ts';
import { summaryOf } from './dry-run.ts';
import type { ItemRequest } from './item-request.ts';
import type { ManagementParts } from './management-parts.ts';
import { authorOf, createProposal, type Proposal } from './proposal-store.ts';

type WriteRequest = FastifyRequest<{ Querystring: { dryRun?: boolean; comment?: string } }>;

/** Ends the transaction of a change that needs approval. */
class ApprovalNeeded extends Error {
  readonly summary: string[];

  constructor(summary: string[]) {
    super('the change needs approval');
    this.summary = summary;
  }
}

/** Turns an editor's change of a protected environment into a proposal. */
export function proposeIfProtected(request: WriteRequest, item: ItemRequest) {
  const { caller, managed, query } = request;
  const mayChange = hasRole(caller.roleIn(managed), 'admin');
  const guard = {
    /** The protected environments that the change affects. */
    affected: [] as string[],
    check(previous: PropertyConfiguration, next: PropertyConfiguration): void {
      if (mayChange) return;
      const changes = changedItems(previous, next);
      guard.affected = affectedEnvironments(previous, next, changes);
      if (guard.affected.length > 0 && !query.dryRun) {
        throw new ApprovalNeeded(summaryOf({ previous, changes }));
      }
    },
    async run(
      { database }: ManagementParts,
      change: () => Promise<Changed>,
    ): Promise<Changed | { proposal: Proposal }> {
      try {
        return await change();
      } catch (error) {
        if (!(error instanceof ApprovalNeeded)) throw error;
        const proposal = await createProposal(database, {
          ...{ propertyId: managed.id, item, summary: error.summary },
          ...{ comment: query.comment ?? null, author: authorOf(caller) },
        });
        return { proposal };
      }
    },
  };
  return guard;
}

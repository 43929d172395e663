import { hasRole } from '@switchyard/core/api/role-order';
import type { FastifyRequest } from 'fastify';
import { changedItems } from '../../configuration/changes/item-changes.ts';
import { affectedEnvironments } from '../../configuration/changes/protected-environments.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { Changed } from '../../configuration/writer/configuration-writer.ts';
import type { Caller } from '../../http/contract/caller.ts';
import { versionOf } from './collections.ts';
import { summaryOf } from './dry-run.ts';
import type { ItemRequest } from './item-request.ts';
import type { ManagementServices } from './management-services.ts';
import { createProposal, type Proposal } from './proposal-store.ts';

type WriteRequest = FastifyRequest<{ Querystring: { dryRun?: boolean; comment?: string } }>;

/** Ends the transaction of a change that needs approval. */
class ApprovalNeeded extends Error {
  readonly summary: string[];
  readonly baseVersion: number | undefined;

  constructor(summary: string[], baseVersion: number | undefined) {
    super('the change needs approval');
    this.summary = summary;
    this.baseVersion = baseVersion;
  }
}

/** Turns an editor's change of a protected environment into a proposal. */
export function proposeIfProtected(model: ConfigurationModel, request: WriteRequest, item: ItemRequest) {
  const { caller, managed, query } = request;
  const mayChange = hasRole(caller.roleIn(managed), 'admin');
  const guard = {
    /** The protected environments that the change affects. */
    affected: [] as string[],
    check(previous: PropertyConfiguration, next: PropertyConfiguration): void {
      if (mayChange) return;
      const changes = changedItems(model, previous, next);
      guard.affected = affectedEnvironments(previous, next, changes);
      if (guard.affected.length > 0 && !query.dryRun) {
        throw new ApprovalNeeded(
          summaryOf(model, { previous, current: next, changes }),
          baseVersionOf(model, previous, item),
        );
      }
    },
    async run(
      { database }: ManagementServices,
      change: () => Promise<Changed>,
    ): Promise<Changed | { proposal: Proposal }> {
      try {
        return await change();
      } catch (error) {
        if (!(error instanceof ApprovalNeeded)) throw error;
        const proposal = await createProposal(database, {
          propertyId: managed.id,
          item,
          summary: error.summary,
          baseVersion: error.baseVersion,
          comment: query.comment ?? null,
          author: authorOf(caller),
        });
        return { proposal };
      }
    },
  };
  return guard;
}

export const authorOf = ({ account, actor }: Caller) => ({ id: account.id, name: actor.name });

/** The version on which the proposal is based; the current one if the author did not care. */
function baseVersionOf(
  model: ConfigurationModel,
  current: PropertyConfiguration,
  { collection, key, precondition: { version } }: ItemRequest,
): number | undefined {
  if (typeof version === 'number') return version;
  const item = model.findItem(current, collection.type, key);
  return item && versionOf(item);
}

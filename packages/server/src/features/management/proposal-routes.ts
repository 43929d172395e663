import {
  DryRun,
  IdempotencyHeaders,
  type NewProposal,
  newProposal,
  PropertyParams,
  ProposalList,
  ProposalParams,
  ProposalQuery,
  ProposalSchema,
  WriteQuery,
} from '@switchyard/core/api/management';
import { hasRole } from '@switchyard/core/api/role-order';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../configuration/database/database.ts';
import { inTransaction } from '../../configuration/database/in-transaction.ts';
import type { ConfigurationModel } from '../../configuration/definitions/configuration-model.ts';
import { documentAtVersion } from '../../configuration/history/configuration-at.ts';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { Changed } from '../../configuration/writer/configuration-writer.ts';
import type { ApiRoutes } from '../../http/pipeline/api-routes.ts';
import { ApiError, invalidField } from '../../platform/errors/errors.ts';
import { collectionAt, pathsFor } from './collections.ts';
import { dryRunResponse, summaryOf } from './dry-run.ts';
import { applyItemRequest, type ItemRequest } from './item-request.ts';
import {
  changeManaged,
  changeRequest,
  type ManagementServices,
  PROPERTY_URL,
} from './management-services.ts';
import { authorOf } from './proposal-guard.ts';
import {
  createProposal,
  decideProposal,
  findProposal,
  listProposals,
  type Proposal,
} from './proposal-store.ts';

const URL = `${PROPERTY_URL}/proposals`;

/** Changes that wait for the approval of an admin. */
export function registerProposalRoutes(api: ApiRoutes, services: ManagementServices): void {
  registerList(api, services);
  registerGet(api, services);
  registerCreate(api, services);
  registerApprove(api, services);
  registerReject(api, services);
}

function registerList(api: ApiRoutes, { database }: ManagementServices): void {
  api.get<{ Querystring: ProposalQuery }>(
    URL,
    {
      tag: 'Management',
      summary: 'Proposals without their bodies, newest first',
      access: 'viewer',
      params: PropertyParams,
      querystring: ProposalQuery,
      responses: { 200: { ...ProposalList, description: 'At most 500' } },
    },
    async ({ managed, query }) => ({ proposals: await listProposals(database, managed.id, query.state) }),
  );
}

function registerGet(api: ApiRoutes, { database, model }: ManagementServices): void {
  api.get<{ Params: ProposalParams }>(
    `${URL}/:proposalId`,
    {
      tag: 'Management',
      summary: 'A proposal with its body',
      access: 'viewer',
      params: ProposalParams,
      responses: { 200: { ...ProposalSchema, description: 'The proposal' } },
    },
    async ({ managed, params }) => {
      const proposal = await findProposal(database, managed.id, params.proposalId);
      if (proposal === undefined) throw new ApiError('not_found');
      if (proposal.state === 'open') return proposal;
      return { ...proposal, base: await baseOf(database, model, managed.id, proposal) };
    },
  );
}

/** The item that the author of a proposal saw. */
async function baseOf(
  database: Database,
  model: ConfigurationModel,
  propertyId: string,
  { collection, key, baseVersion }: Proposal,
): Promise<object | null> {
  const type = collectionAt(model, collection)?.type;
  if (type === undefined || baseVersion === null) return null;
  return (await documentAtVersion(database, model, propertyId, { type, key }, baseVersion)) ?? null;
}

function registerCreate(api: ApiRoutes, services: ManagementServices): void {
  api.post<{ Body: NewProposal; Querystring: WriteQuery }>(
    URL,
    {
      tag: 'Management',
      summary: 'Propose a change',
      description:
        'Validated like the change itself, whose version is `baseVersion` instead of `If-Match`. An editor’s change of a protected environment becomes a proposal automatically.',
      access: 'editor',
      params: PropertyParams,
      querystring: WriteQuery,
      headers: IdempotencyHeaders,
      body: newProposal(pathsFor(services.model, 'editor')),
      responses: {
        200: { ...DryRun, description: 'With `dryRun`' },
        201: { ...ProposalSchema, description: 'Waits for approval' },
      },
      errors: [
        ...(['version_required', 'version_conflict', 'in_use', 'transition_not_allowed'] as const),
        ...(['idempotency_in_flight', 'idempotency_key_reused'] as const),
      ],
    },
    (request, reply) =>
      services.idempotency.run(request, reply, async (record) => {
        const { body, managed, caller, query } = request;
        const item = requestOf(services.model, body);
        const planned = await plan(services, request, item);
        if (query.dryRun) return reply.send(dryRunResponse(services.model, planned));
        const proposal = await inTransaction(services.database, async (transaction) => {
          const created = await createProposal(transaction, {
            propertyId: managed.id,
            item,
            summary: summaryOf(services.model, planned),
            baseVersion: body.baseVersion,
            comment: body.comment ?? query.comment ?? null,
            author: authorOf(caller),
          });
          await record(transaction, { status: 201, response: created });
          return created;
        });
        return reply.code(201).send(proposal);
      }),
  );
}

/** Checks a proposal like the change itself. */
function plan(services: ManagementServices, request: FastifyRequest, item: ItemRequest): Promise<Changed> {
  const { actor, via } = request.caller;
  return changeManaged(services, request.managed.id, { actor, via, dryRun: true }, (input) => {
    requireBaseVersion(services.model, input.current, item);
    return applyItemRequest(input, item, services);
  });
}

/** The error of a change itself would ask for a header. */
function requireBaseVersion(
  model: ConfigurationModel,
  property: PropertyConfiguration,
  { collection, key, precondition }: ItemRequest,
): void {
  if (precondition.version !== undefined || model.findItem(property, collection.type, key) === undefined)
    return;
  throw invalidField(
    '/baseVersion',
    'The item exists: send the `version` that you have seen of it as `baseVersion`.',
    'version_required',
  );
}

interface ProposedChange extends Pick<NewProposal, 'key' | 'method' | 'baseVersion'> {
  collection: string;
  body?: object | null | undefined;
}

/** The request that a proposal stands for. */
function requestOf(
  model: ConfigurationModel,
  { collection, key, method, body, baseVersion }: ProposedChange,
): ItemRequest {
  const found = collectionAt(model, collection);
  if (found === undefined) throw new ApiError('not_found');
  const precondition = { ...(baseVersion !== undefined && { version: baseVersion }), createOnly: false };
  return { collection: found, key, method: method ?? 'PATCH', body: body ?? {}, precondition };
}

/** An item that did not exist when its creation was proposed must not exist now. */
function approvedRequest(model: ConfigurationModel, { baseVersion, ...proposal }: Proposal): ItemRequest {
  if (baseVersion !== null) return requestOf(model, { ...proposal, baseVersion });
  return { ...requestOf(model, proposal), precondition: { createOnly: true } };
}

interface DecisionRoute {
  Params: ProposalParams;
  Querystring: WriteQuery;
}

function registerApprove(api: ApiRoutes, services: ManagementServices): void {
  api.post<DecisionRoute>(
    `${URL}/:proposalId/approve`,
    {
      tag: 'Management',
      summary: 'Approve a proposal and make its change',
      description: 'Nobody can approve their own. The change is checked again, and merged with later ones.',
      access: 'admin',
      params: ProposalParams,
      querystring: WriteQuery,
      responses: {
        200: {
          anyOf: [ProposalSchema, DryRun],
          description: 'Approved, or with `dryRun` the differences',
        },
      },
      errors: ['not_found', 'proposal_closed', 'version_conflict', 'in_use', 'transition_not_allowed'],
    },
    async (request, reply) => {
      const { caller, managed, query } = request;
      const proposal = await openProposal(services, request);
      if (proposal.author.id === caller.account.id) {
        throw new ApiError('role_required', { message: 'Nobody can approve their own proposal.' });
      }
      const item = approvedRequest(services.model, proposal);
      const by = changeRequest(request);
      const comment = [`Proposed by ${proposal.author.name}`, proposal.comment, by.comment]
        .filter(Boolean)
        .join(': ')
        .slice(0, 500);
      const changed = await changeManaged(services, managed.id, { ...by, comment }, async (input) => {
        const next = await applyItemRequest(input, item, services);
        const isOpen =
          query.dryRun || (await decideProposal(input.database, proposal.id, 'approved', caller.actor.name));
        if (!isOpen) throw new ApiError('proposal_closed');
        return next;
      });
      if (query.dryRun) return dryRunResponse(services.model, changed);
      return reply.send(await findProposal(services.database, managed.id, proposal.id));
    },
  );
}

function registerReject(api: ApiRoutes, services: ManagementServices): void {
  api.post<DecisionRoute>(
    `${URL}/:proposalId/reject`,
    {
      tag: 'Management',
      summary: 'Reject a proposal',
      description: 'Authors can withdraw their own.',
      access: 'editor',
      params: ProposalParams,
      querystring: WriteQuery,
      responses: {
        200: { anyOf: [ProposalSchema, DryRun], description: 'Rejected, or with `dryRun` no differences' },
      },
      errors: ['not_found', 'proposal_closed'],
    },
    async (request, reply) => {
      const { caller, managed, query } = request;
      const proposal = await openProposal(services, request);
      const isAuthor = proposal.author.id === caller.account.id;
      if (!isAuthor && !hasRole(caller.roleIn(managed), 'admin')) throw new ApiError('role_required');
      if (query.dryRun) return reply.send({ dryRun: true, changes: [], summary: [], warnings: [] });
      const decided = await decideProposal(services.database, proposal.id, 'rejected', caller.actor.name);
      if (!decided) throw new ApiError('proposal_closed');
      return reply.send(await findProposal(services.database, managed.id, proposal.id));
    },
  );
}

async function openProposal(
  { database }: ManagementServices,
  { managed, params }: FastifyRequest<DecisionRoute>,
): Promise<Proposal> {
  const proposal = await findProposal(database, managed.id, params.proposalId);
  if (proposal === undefined) throw new ApiError('not_found');
  if (proposal.state !== 'open') throw new ApiError('proposal_closed');
  return proposal;
}

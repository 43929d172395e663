import type { Selectable } from 'kysely';
import { type Database, newId } from '../../configuration/database/database.ts';
import type { DatabaseTables } from '../../configuration/database/tables/database-tables.ts';
import type { ItemRequest } from './item-request.ts';

type ProposalRow = Selectable<DatabaseTables['proposals']>;

/** A change that waits for the approval of an admin, or was decided. */
export interface Proposal {
  id: string;
  state: ProposalRow['state'];
  collection: string;
  key: string;
  method: ItemRequest['method'];
  body: object | null;
  /** The version that the author saw; null if the item did not exist. */
  baseVersion: number | null;
  comment: string | null;
  summary: string[];
  author: { id: string | null; name: string };
  createdAt: number;
  decidedBy: string | null;
  decidedAt: number | null;
}

interface NewProposal {
  propertyId: string;
  item: Pick<ItemRequest, 'key' | 'method' | 'body'> & { collection: { path: string } };
  /** Undefined if the item does not exist. */
  baseVersion: number | undefined;
  summary: readonly string[];
  comment: string | null;
  /** The account, also if it used a token, so that it cannot approve its own proposal. */
  author: { id: string; name: string };
}

export async function createProposal(database: Database, proposal: NewProposal): Promise<Proposal> {
  const { item, author } = proposal;
  const row: ProposalRow = {
    id: newId('prp'),
    property_id: proposal.propertyId,
    state: 'open',
    collection: item.collection.path,
    key: item.key,
    method: item.method,
    body: item.method === 'DELETE' ? null : JSON.stringify(item.body),
    base_version: proposal.baseVersion ?? null,
    comment: proposal.comment,
    summary: JSON.stringify(proposal.summary.slice(0, MAX_SUMMARY)),
    author_id: author.id,
    author_name: author.name,
    created_at: Date.now(),
    decided_by: null,
    decided_at: null,
  };
  await database.insertInto('proposals').values(row).execute();
  return toProposal(row);
}

const MAX_LISTED = 500;
/** Lines; a page of proposals must stay small. */
const MAX_SUMMARY = 20;

/** The newest first, without their bodies: all of them could be many megabytes. */
export async function listProposals(
  database: Database,
  propertyId: string,
  state?: ProposalRow['state'],
): Promise<Omit<Proposal, 'body'>[]> {
  let query = database
    .selectFrom('proposals')
    .select(['id', 'property_id', 'state', 'collection', 'key', 'method', 'base_version', 'comment'])
    .select(['summary', 'author_id', 'author_name', 'created_at', 'decided_by', 'decided_at'])
    .where('property_id', '=', propertyId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(MAX_LISTED);
  if (state !== undefined) query = query.where('state', '=', state);
  return (await query.execute()).map(toSummary);
}

export async function findProposal(
  database: Database,
  propertyId: string,
  id: string,
): Promise<Proposal | undefined> {
  const row = await database
    .selectFrom('proposals')
    .selectAll()
    .where('property_id', '=', propertyId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toProposal(row);
}

/** Returns false if it was decided already. */
export async function decideProposal(
  database: Database,
  id: string,
  state: 'approved' | 'rejected',
  decidedBy: string,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable('proposals')
    .set({ state, decided_by: decidedBy, decided_at: Date.now() })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function toProposal(row: ProposalRow): Proposal {
  return { ...toSummary(row), body: row.body === null ? null : JSON.parse(row.body) };
}

function toSummary(row: Omit<ProposalRow, 'body'>): Omit<Proposal, 'body'> {
  return {
    id: row.id,
    state: row.state,
    collection: row.collection,
    key: row.key,
    method: row.method,
    baseVersion: row.base_version,
    comment: row.comment,
    summary: JSON.parse(row.summary),
    author: { id: row.author_id, name: row.author_name },
    createdAt: row.created_at,
    decidedBy: row.decided_by,
    decidedAt: row.decided_at,
  };
}

import type { ProposalList, ProposalSchema } from '@switchyard/core/api/management';
import { useQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { useProperty } from '../configuration/property-context.tsx';

export type Proposal = Static<typeof ProposalList>['proposals'][number];
export type ProposalState = Proposal['state'];

/** Changes that wait, or have waited, for approval; newest first, without what they would write. */
export function useProposals(state: ProposalState) {
  const { propertyId } = useProperty();
  return useQuery({
    queryKey: ['proposals', propertyId, state],
    queryFn: ({ signal }) =>
      request<Static<typeof ProposalList>>(propertyPath(propertyId, 'proposals'), {
        query: { state },
        signal,
      }),
  });
}

/** A proposal with what it would write and, once it is decided, what its author saw. */
export function useProposal({ id, state }: Proposal) {
  const { propertyId } = useProperty();
  return useQuery({
    queryKey: ['proposals', propertyId, 'one', id, state],
    queryFn: ({ signal }) =>
      request<Static<typeof ProposalSchema>>(propertyPath(propertyId, 'proposals', id), { signal }),
  });
}

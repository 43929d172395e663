import { Alert } from '@mantine/core';
import type { ProposalList } from '@switchyard/core/api/management';
import { useQuery } from '@tanstack/react-query';
import type { Static } from 'typebox';
import { propertyPath, request } from '../../api.ts';
import { plural } from '../../ui/format/format.ts';
import { ErrorAlert } from '../../ui/page/error-alert.tsx';
import { Icon } from '../../ui/page/icon.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';

/** Changes of protected environments that wait for an approval: all, or those of one flag. */
export function OpenProposals({ flagKey }: { flagKey?: string }) {
  const { propertyId } = useProperty();
  const { data, error } = useQuery({
    queryKey: ['proposals', propertyId, 'open'],
    queryFn: ({ signal }) =>
      request<Static<typeof ProposalList>>(propertyPath(propertyId, 'proposals'), {
        query: { state: 'open' },
        signal,
      }),
  });
  if (!data) return <ErrorAlert error={error} title="Cannot load the proposals" />;
  const proposals = data.proposals.filter(
    ({ collection, key }) => flagKey === undefined || (collection === 'flags' && key === flagKey),
  );
  if (proposals.length === 0) return null;
  const authors = [...new Set(proposals.map(({ author }) => author.name))].join(', ');
  return (
    <Alert color="blue" icon={<Icon name="lock" />} title={`${plural(proposals.length, 'proposal')} waiting`}>
      Proposed by {authors}.{' '}
      <PropertyLink to="history" search={{ tab: 'proposals' }}>
        Review
      </PropertyLink>
    </Alert>
  );
}

import { Alert, Button, Loader } from '@mantine/core';
import type { Erasure } from '@switchyard/core/api/management';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Static } from 'typebox';
import { messageOf, propertyPath, request } from '../../api.ts';
import { plural } from '../../ui/format.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { forgetErasure, type RememberedErasure, useErasures } from './running-erasures.ts';

const REFRESH_MS = 2000;

/** The erasures that were started in this browser, until their end was seen. */
export function ErasureProgress() {
  const { propertyId } = useProperty();
  return useErasures(propertyId).map((erasure) => <OneErasure key={erasure.id} erasure={erasure} />);
}

function OneErasure({ erasure: { id, visitorId } }: { erasure: RememberedErasure }) {
  const { propertyId } = useProperty();
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['erasure', propertyId, id],
    queryFn: ({ signal }) =>
      request<Static<typeof Erasure>>(propertyPath(propertyId, 'erasures', id), { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'done' ? false : REFRESH_MS),
  });
  const isDone = data?.state === 'done';
  useEffect(() => {
    if (isDone) void client.invalidateQueries({ queryKey: ['sessions', propertyId] });
  }, [isDone, client, propertyId]);
  return (
    <Alert
      color={isDone ? 'green' : 'blue'}
      role="status"
      title={isDone ? `Erased visitor ${visitorId}` : `Erasing visitor ${visitorId} …`}
    >
      {isDone ? (
        <>
          {plural(data.rows ?? 0, 'row')} removed.{' '}
          <Button size="compact-xs" variant="default" onClick={() => forgetErasure(propertyId, id)}>
            Close
          </Button>
        </>
      ) : (
        <>
          <Loader size={12} /> {data?.error ? `The last attempt failed (${data.error}); it is repeated.` : ''}{' '}
          You can leave this page; the work goes on. {error && messageOf(error)}
        </>
      )}
    </Alert>
  );
}

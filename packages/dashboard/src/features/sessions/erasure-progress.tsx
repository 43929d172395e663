import { Alert, Button, Loader } from '@mantine/core';
import type { Erasure } from '@switchyard/core/api/management';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Static } from 'typebox';
import { ApiProblem, messageOf, propertyPath, request } from '../../api.ts';
import { plural } from '../../ui/format/format.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { forgetErasure, forgetName, type RememberedErasure, useErasures } from './running-erasures.ts';

const REFRESH_MS = 2000;

/** The erasures that were started in this browser, until their notice is closed. */
export function ErasureProgress() {
  const { propertyId } = useProperty();
  return useErasures(propertyId).map((erasure) => <OneErasure key={erasure.id} erasure={erasure} />);
}

function OneErasure({ erasure: { id, kind, name } }: { erasure: RememberedErasure }) {
  const { propertyId } = useProperty();
  const client = useQueryClient();
  // Stays in the title after the browser has forgotten it.
  const [what] = useState(name === undefined ? `a ${kind}` : `${kind} ${name}`);
  const { data, error } = useQuery({
    queryKey: ['erasure', propertyId, id],
    queryFn: ({ signal }) =>
      request<Static<typeof Erasure>>(propertyPath(propertyId, 'erasures', id), { signal }),
    refetchInterval: ({ state }) =>
      state.data?.state === 'done' || isRefused(state.error) ? false : REFRESH_MS,
  });
  const isDone = data?.state === 'done';
  useEffect(() => {
    if (!isDone) return;
    forgetName(propertyId, id);
    for (const list of ['sessions', 'feedback'])
      void client.invalidateQueries({ queryKey: [list, propertyId] });
  }, [isDone, client, propertyId, id]);
  return (
    <Alert
      color={isDone ? 'green' : 'blue'}
      role="status"
      title={isDone ? `Erased ${what}` : `Erasing ${what} …`}
    >
      {isDone ? (
        `${plural(data.rows ?? 0, 'entry', 'entries')} removed.`
      ) : (
        <Running erasure={data} error={error} />
      )}{' '}
      <Button size="compact-xs" variant="default" onClick={() => forgetErasure(propertyId, id)}>
        Close
      </Button>
    </Alert>
  );
}

interface RunningProps {
  erasure: Static<typeof Erasure> | undefined;
  error: Error | null;
}

function Running({ erasure, error }: RunningProps) {
  if (isRefused(error)) return `Cannot follow this erasure: ${messageOf(error)}`;
  return (
    <>
      <Loader size={12} />{' '}
      {erasure?.error ? `The last attempt failed (${erasure.error}); it is repeated.` : ''} You can leave this
      page or close this notice; the work goes on. {error && messageOf(error)}
    </>
  );
}

/** Such as by a role that is too low, or because the server does not know it any more: asking again does not help. */
const isRefused = (error: Error | null) =>
  error instanceof ApiProblem && error.status >= 400 && error.status < 500 && error.status !== 429;

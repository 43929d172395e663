import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { LATE_REFRESH_MS } from '../../api.ts';
import { LateSince, lateSentence } from '../../ui/page/late-figures.tsx';
import { meQuery } from '../accounts/use-me.ts';
import classes from './property-shell.module.css';

const REFRESH_MS = 60_000;

/** Says so while events are stored that figures do not count yet, and loads all figures again afterwards. */
export function LateFiguresProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const { data } = useQuery({
    ...meQuery,
    refetchInterval: ({ state }) => (isLate(state.data?.dataDelayedSince) ? LATE_REFRESH_MS : REFRESH_MS),
  });
  const since = data?.dataDelayedSince ?? null;
  const wasLate = useRef(false);
  useEffect(() => {
    if (wasLate.current && since === null) {
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== meQuery.queryKey[0] });
    }
    wasLate.current = since !== null;
  }, [client, since]);
  return (
    <LateSince value={since}>
      <div role="status" className={since === null ? undefined : classes.notice}>
        {since === null ? '' : lateSentence(since)}
      </div>
      {children}
    </LateSince>
  );
}

const isLate = (since: number | null | undefined) => since !== null && since !== undefined;

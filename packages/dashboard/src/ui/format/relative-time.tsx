import { useEffect, useReducer } from 'react';
import { formatDateTime, formatRelative } from './format.ts';

/** "3 hours ago", with the exact time as tooltip; stays true while the page is open. */
export function RelativeTime({ at }: { at: number }) {
  const [, refresh] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(refresh, 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
      {formatRelative(at)}
    </time>
  );
}

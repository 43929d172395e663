import { Button, Loader, Title } from '@mantine/core';
import type { Impact } from '@switchyard/core/api/impact';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { messageOf, propertyPath, request } from '../../api.ts';
import { formatPercent, plural } from '../../ui/format.ts';
import { useProperty } from '../configuration/property-context.tsx';
import type { ChangeRequest } from './change-request.ts';
import { FlagImpactList, SegmentImpactList, SplitTestImpactList } from './impact-lists.tsx';
import classes from './impact-panel.module.css';

/** Who would be affected by a change, from the sessions of the last days. Saving never waits for it. */
export function ImpactPanel({ impact }: { impact: NonNullable<ChangeRequest['impact']> }) {
  const { propertyId } = useProperty();
  const replay = useQuery({
    queryKey: ['impact', useId()],
    queryFn: ({ signal }) =>
      request<Impact>(propertyPath(propertyId, 'impact'), { method: 'POST', body: impact, signal }),
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <section className={classes.impact} aria-busy={replay.isFetching}>
      <Title order={2}>Who is affected</Title>
      <div role="status">
        {replay.isFetching && (
          <p className="dimmed">
            <Loader size={12} /> Replaying the sessions of the last 7 days … You can save without waiting.
          </p>
        )}
        {replay.error && !replay.isFetching && (
          <p className="dimmed">
            It could not be computed: {messageOf(replay.error)}{' '}
            <Button size="compact-xs" variant="default" onClick={() => void replay.refetch()}>
              Try again
            </Button>
          </p>
        )}
        {replay.data && <p>{summaryWords(replay.data)}</p>}
      </div>
      {replay.data && <ImpactDetails impact={replay.data} />}
    </section>
  );
}

function summaryWords({ visitors, changed, days, sampled, type }: Impact): string {
  if (visitors === 0) return `No visitors in the last ${days} days.`;
  const sample = sampled < 1 ? ` (a sample of ${formatPercent(sampled)} of them)` : '';
  const what = type === 'split-test' ? 'see something else' : 'get another value';
  const who = changed === 0 ? 'None' : plural(changed, 'visitor');
  return `${who} of ${plural(visitors, 'visitor')} of the last ${days} days${sample} would ${what}.`;
}

function ImpactDetails({ impact: { flags = [], moreFlags, segment, splitTest } }: { impact: Impact }) {
  return (
    <>
      {segment && <SegmentImpactList impact={segment} />}
      {flags.map((flag) => (
        <FlagImpactList key={flag.flagKey} impact={flag} isOnly={flags.length === 1 && !segment} />
      ))}
      {moreFlags !== undefined && <p className="dimmed">{plural(moreFlags, 'more flag')} affected.</p>}
      {splitTest && <SplitTestImpactList impact={splitTest} />}
    </>
  );
}

import { Button, Loader, Title } from '@mantine/core';
import type { Impact } from '@switchyard/core/api/impact';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { messageOf, propertyPath, request } from '../../api.ts';
import { plural } from '../../ui/format/format.ts';
import { useProperty } from '../configuration/property-context.tsx';
import type { ChangeRequest } from './change-request.ts';
import { FlagImpactList, SegmentImpactList, SplitTestImpactList } from './impact-lists.tsx';
import classes from './impact-panel.module.css';
import { anotherValueWords, summaryWords } from './impact-words.ts';
import { type SplitTestChange, splitTestChange } from './split-test-change.ts';

/** Who would be affected by a change, from the sessions of the last days. Saving never waits for it. */
export function ImpactPanel({ impact }: { impact: NonNullable<ChangeRequest['impact']> }) {
  const { propertyId, configuration } = useProperty();
  const replay = useQuery({
    queryKey: ['impact', useId()],
    queryFn: ({ signal }) =>
      request<Impact>(propertyPath(propertyId, 'impact'), { method: 'POST', body: impact, signal }),
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { data } = replay;
  const stored = configuration.splitTests.find(({ key }) => key === impact.key);
  const change = data?.splitTest && splitTestChange(data.splitTest, impact.definition, stored);
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
        {data && (
          <p>
            {change
              ? summaryWords(data, change.changed, 'see something else')
              : summaryWords(data, data.changed, anotherValueWords(data, configuration.environments))}
          </p>
        )}
      </div>
      {data && data.visitors > 0 && <ImpactDetails impact={data} splitTest={change} />}
    </section>
  );
}

interface ImpactDetailsProps {
  impact: Impact;
  splitTest: SplitTestChange | undefined;
}

function ImpactDetails({
  impact: { flags = [], moreFlags, segment, visitors },
  splitTest,
}: ImpactDetailsProps) {
  return (
    <>
      {segment && <SegmentImpactList impact={segment} />}
      {flags.map((flag) => (
        <FlagImpactList key={flag.flagKey} impact={flag} isOnly={flags.length === 1 && !segment} />
      ))}
      {moreFlags !== undefined && <p className="dimmed">{plural(moreFlags, 'more flag')} affected.</p>}
      {splitTest && <SplitTestImpactList change={splitTest} visitors={visitors} />}
    </>
  );
}

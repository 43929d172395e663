import { Button, Popover } from '@mantine/core';
import type { TrafficLive } from '@switchyard/core/api/traffic';
import { useQuery } from '@tanstack/react-query';
import { isStoreUnavailable, messageOf, request } from '../../api.ts';
import { formatCount, plural } from '../../ui/format/format.ts';
import { BarList } from '../../ui/lists/bar-list.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './live-visitors.module.css';
import { dimensionValue } from './traffic-dimensions.ts';

const REFRESH_MS = 10_000;

/** Visitors of the last five minutes. */
export function LiveVisitors() {
  const { propertyId } = useProperty();
  const { data, error } = useQuery({
    queryKey: ['traffic', propertyId, 'live'],
    queryFn: ({ signal }) => request<TrafficLive>('/v1/traffic/live', { query: { propertyId }, signal }),
    refetchInterval: REFRESH_MS,
  });
  if (data === undefined) {
    if (error === null || isStoreUnavailable(error)) return null;
    return <span className="bad">Live visitors: {messageOf(error)}</span>;
  }
  return (
    <Popover position="bottom-end" width={320} trapFocus returnFocus>
      <Popover.Target>
        <Button size="xs" variant="default" leftSection={<span className={classes.dot} />}>
          {plural(data.visitors, 'visitor')} now
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        {data.visitors === 0 ? (
          <p className="dimmed">Nobody in the last five minutes.</p>
        ) : (
          <>
            <h2 className={classes.title}>Pages</h2>
            <BarList
              label="Pages being viewed"
              format={formatCount}
              rows={data.pages.map(({ page, visitors }) => ({
                key: page ?? '',
                label: page ?? '(none)',
                value: visitors,
              }))}
            />
            <h2 className={classes.title}>Countries</h2>
            <BarList
              label="Countries of live visitors"
              format={formatCount}
              rows={data.countries.map(({ country, visitors }) => ({
                key: country ?? '',
                label: dimensionValue('country', country),
                value: visitors,
              }))}
            />
          </>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

import { Alert } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Icon } from '../../ui/page/icon.tsx';
import type { SplitTest } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { stopsOfTestQuery } from './automatic-stops.ts';

/** On the page of a test: what was stopped because of harm, and its figures. */
export function AutomaticStopNotice({ test }: { test: SplitTest }) {
  const { propertyId } = useProperty();
  const { data } = useQuery(stopsOfTestQuery(propertyId, test));
  const entries = data?.history ?? [];
  if (entries.length === 0) return null;
  return (
    <Alert color="red" role="status" icon={<Icon name="warning" />} title="Stopped by a safe rollout" mb="md">
      {entries.map(({ id, at, comment }) => (
        <p key={id}>
          {comment}{' '}
          <span className="dimmed">
            <RelativeTime at={at} />
          </span>
        </p>
      ))}
      <PropertyLink to={`split-tests/${encodeURIComponent(test.key)}`} search={{ tab: 'history' }}>
        Show the history
      </PropertyLink>
    </Alert>
  );
}

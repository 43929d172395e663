import { Alert, Text } from '@mantine/core';
import { SAFE_ROLLOUT_NAME } from '@switchyard/core/api/safe-rollout-name';
import { useQuery } from '@tanstack/react-query';
import { Icon } from '../../ui/page/icon.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { recentStopsQuery } from './automatic-stops.ts';
import { titleOf } from './split-test-facts.ts';

const MAX_SHOWN = 5;

/** Above lists of tests: what was stopped lately because of harm. */
export function AutomaticStopsNotice() {
  const { propertyId, configuration } = useProperty();
  const { splitTests } = configuration;
  const { data } = useQuery(recentStopsQuery(propertyId, splitTests));
  const stopped = (data?.history ?? []).flatMap(({ id, comment, entity }) => {
    const test = splitTests.find(({ key }) => key === entity.key);
    return test === undefined || test.status === 'archived' ? [] : [{ id, comment, test }];
  });
  if (stopped.length === 0) return null;
  return (
    <Alert color="red" role="status" icon={<Icon name="warning" />} title="Stopped by a safe rollout">
      {stopped.slice(0, MAX_SHOWN).map(({ id, comment, test }) => (
        <Text key={id} size="sm">
          <PropertyLink to={`split-tests/${encodeURIComponent(test.key)}`}>{titleOf(test)}</PropertyLink>:{' '}
          {comment}
        </Text>
      ))}
      {stopped.length > MAX_SHOWN && (
        <PropertyLink to="history" search={{ actor: SAFE_ROLLOUT_NAME }}>
          {stopped.length - MAX_SHOWN} more
        </PropertyLink>
      )}
    </Alert>
  );
}

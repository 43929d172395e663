import { Alert, Text } from '@mantine/core';
import { Icon } from '../../ui/page/icon.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { stoppedRollouts } from './stopped-rollouts.ts';

const DAY_MS = 86_400_000;
/** Afterwards, everybody has had time to notice. */
const RECENT_DAYS = 14;
const MAX_SHOWN = 5;

/** Above lists: rollouts that went back or stayed lately. */
export function StoppedRolloutsNotice() {
  const { configuration } = useProperty();
  const since = Date.now() - RECENT_DAYS * DAY_MS;
  const stopped = stoppedRollouts(configuration).filter(({ ended }) => ended.at > since);
  if (stopped.length === 0) return null;
  return (
    <Alert color="red" role="status" icon={<Icon name="warning" />} title="Rollouts that stopped themselves">
      {stopped.slice(0, MAX_SHOWN).map(({ flag, environment, ruleId, ended }) => (
        <Text key={`${flag.key}/${environment.id}/${ruleId}`} size="sm">
          <PropertyLink to={`flags/${encodeURIComponent(flag.key)}`} search={{ env: environment.id }}>
            {flag.name}
          </PropertyLink>
          , {environment.name}: {ended.words}
        </Text>
      ))}
      {stopped.length > MAX_SHOWN && <Text size="sm">{stopped.length - MAX_SHOWN} more</Text>}
    </Alert>
  );
}

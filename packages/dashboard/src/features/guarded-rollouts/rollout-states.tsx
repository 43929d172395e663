import { Alert, Text } from '@mantine/core';
import type { GuardedRollout } from '@switchyard/core/api/results/guarded-rollouts';
import type { Rule } from '@switchyard/core/api/targeting';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api.ts';
import { formatDateTime, formatPercent } from '../../ui/format/format.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { Icon } from '../../ui/page/icon.tsx';
import type { Environment, Flag } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { stoppedIn } from './stopped-rollouts.ts';

interface RolloutStatesProps {
  /** As it is saved. */
  flag: Flag;
  environment: Environment;
}

/** How each rollout with guardrails goes, in words. */
export function RolloutStates({ flag, environment }: RolloutStatesProps) {
  const stopped = stoppedIn(flag, environment);
  const { rules = [] } = flag.environments[environment.id] ?? {};
  const running = rules.filter(
    ({ id, rollout }) => rollout?.guardrails !== undefined && !stopped.some(({ ruleId }) => ruleId === id),
  );
  return (
    <>
      {stopped.map(({ ruleId, ended }) => (
        <Alert
          key={ruleId}
          color="red"
          mb="md"
          role="status"
          icon={<Icon name="warning" />}
          title={
            ended.action === 'stayed' ? 'The rollout stays where it is' : 'Rolled back by a safe rollout'
          }
        >
          <Text size="sm">
            {ended.words}{' '}
            <span className="dimmed">
              <RelativeTime at={ended.at} />
            </span>
          </Text>
          <PropertyLink to={`flags/${encodeURIComponent(flag.key)}`} search={{ tab: 'history' }}>
            Show the history
          </PropertyLink>
        </Alert>
      ))}
      {running.map((rule) => (
        <RunningRollout key={rule.id} flag={flag} environment={environment} rule={rule} />
      ))}
    </>
  );
}

function RunningRollout({ flag, environment, rule }: RolloutStatesProps & { rule: Rule }) {
  const { propertyId } = useProperty();
  const name = { flagKey: flag.key, environment: environment.id, ruleId: rule.id };
  const { data } = useQuery({
    queryKey: ['guarded-rollout', propertyId, name, flag.version],
    queryFn: ({ signal }) =>
      request<GuardedRollout>('/v1/flags/rollout', { query: { propertyId, ...name }, signal }),
    refetchInterval: 60_000,
  });
  if (data === undefined) return null;
  return (
    <p role="status" aria-label={`State of the rollout of ${rule.name || rule.id}`}>
      {stateWords(data)} {data.words}{' '}
      <span className="dimmed">
        Looked <RelativeTime at={data.asOf} />
      </span>
    </p>
  );
}

function stateWords({ state, percentage, next, waitsSince }: GuardedRollout): string {
  const share = formatPercent(percentage / 100);
  if (state === 'off') return `At ${share}, but off.`;
  if (next === null) return `At ${share}.`;
  const wanted = formatPercent(next.percentage / 100);
  if (state === 'waiting') return `At ${share}. Waiting for ${wanted} since ${formatDateTime(waitsSince!)}.`;
  return `At ${share}, ${wanted} from ${formatDateTime(next.at)} if nothing gets worse.`;
}

import { Text } from '@mantine/core';
import { plural } from '../../ui/format/format.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { EmptyState } from '../../ui/page/empty-state.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import type { Flag } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { FlagSnippets } from './flag-snippets.tsx';
import { servedWords, staleReason, useFlagUsage } from './use-flag-usage.ts';

/** Whether a flag is evaluated, and what it serves; code to paste if nobody has asked for it yet. */
export function FlagUsagePanel({ flag }: { flag: Flag }) {
  const { environments } = useProperty().configuration;
  const { query, byKey } = useFlagUsage(flag.key);
  return (
    <Panel title="Use in the last 30 days">
      <Loaded query={query} what="how the flag is used">
        {() => {
          const usage = byKey.get(flag.key) ?? [];
          const stale = staleReason(usage);
          if (usage.every(({ lastEvaluatedAt }) => lastEvaluatedAt === null)) {
            return (
              <EmptyState title="Not evaluated yet" snippet={<FlagSnippets flag={flag} />}>
                No code has asked for this flag. Paste this where you need its value:
              </EmptyState>
            );
          }
          return (
            <>
              {stale && (
                <Text size="sm" className="warn">
                  Stale: {stale.charAt(0).toLowerCase() + stale.slice(1)}. It can probably be removed from the
                  code.
                </Text>
              )}
              <ul>
                {usage.map((used) => (
                  <li key={used.environment}>
                    <strong>
                      {environments.find(({ id }) => id === used.environment)?.name ?? used.environment}
                    </strong>
                    {': '}
                    {used.lastEvaluatedAt === null ? (
                      <span className="dimmed">never evaluated</span>
                    ) : (
                      <>
                        {plural(used.evaluations, 'evaluation')}, last{' '}
                        <RelativeTime at={used.lastEvaluatedAt} />
                        {used.values.length > 0 && (
                          <div className="dimmed">Served {servedWords(used, 5)}</div>
                        )}
                      </>
                    )}
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

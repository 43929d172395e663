import { Button, Select } from '@mantine/core';
import type { SessionFlags } from '@switchyard/core/api/explanations';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { propertyPath, request } from '../../api.ts';
import { formatDateTime } from '../../ui/format/format.ts';
import { StackedTable } from '../../ui/lists/stacked-table.tsx';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { valueWriter } from '../explanations/value-text.ts';
import type { Question } from './why-panel.tsx';

interface SessionFlagValuesProps {
  sessionId: string;
  startedAt: number;
  onWhy: (question: Question) => void;
}

/** The values of all flags at the start of a session. */
export function SessionFlagValues({ sessionId, startedAt, onWhy }: SessionFlagValuesProps) {
  const { propertyId, configuration } = useProperty();
  const [environment, setEnvironment] = useState('production');
  const flags = useQuery({
    queryKey: ['session-flags', propertyId, sessionId, environment],
    queryFn: ({ signal }) =>
      request<SessionFlags>(propertyPath(propertyId, 'sessions', sessionId, 'flags'), {
        query: { environment },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Panel
      title="Flag values"
      hint={`Computed from the history of changes for ${formatDateTime(startedAt)}; what the page was sent is not stored.`}
      flush
      actions={
        <Select
          size="xs"
          aria-label="Environment of the flag values"
          allowDeselect={false}
          data={configuration.environments.map(({ id, name }) => ({ value: id, label: name }))}
          value={environment}
          onChange={(value) => setEnvironment(value!)}
        />
      }
    >
      <Loaded query={flags} what="the flag values">
        {(data) => (
          <StackedTable head={['Flag', 'Value', '']}>
            {data.flags.map(({ flagKey, value, unknown }) => {
              const text = valueWriter(configuration.flags, flagKey)(value);
              return (
                <tr key={flagKey}>
                  <td data-label="Flag">
                    <PropertyLink to={`flags/${encodeURIComponent(flagKey)}`}>{flagKey}</PropertyLink>
                  </td>
                  <td data-label="Value">
                    <code>{text}</code>
                    {unknown.length > 0 && <span className="dimmed"> unknown: {unknown.join(', ')}</span>}
                  </td>
                  <td>
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Why is ${flagKey} ${text}?`}
                      onClick={() => onWhy({ type: 'flag', key: flagKey, at: data.at, environment })}
                    >
                      Why?
                    </Button>
                  </td>
                </tr>
              );
            })}
          </StackedTable>
        )}
      </Loaded>
    </Panel>
  );
}

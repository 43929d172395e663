import { Table } from '@mantine/core';
import { formatDateTime } from '../../ui/format.ts';
import { Panel } from '../../ui/panel.tsx';
import type { SplitTest, SplitTestPhase } from '../configuration/configuration-types.ts';
import { PropertyLink } from '../configuration/property-link.tsx';
import { weightShares } from './editor/weight-shares.ts';
import classes from './phase-list.module.css';

const REASONS: Record<string, string> = {
  started: 'The test was started',
  seed: 'Visitors were assigned anew',
  traffic: 'Less traffic',
  weights: 'Changed weights',
  variations: 'Changed variations',
  exclusion: 'Changed exclusion group',
  holdout: 'Larger holdout',
};

/** The periods in which the test ran with one definition, latest first. */
export function PhaseList({ test }: { test: SplitTest }) {
  return (
    <Panel
      title="Phases"
      hint="Visitors of different phases were assigned differently, so each phase has its own results."
      flush
    >
      {test.phases.length === 0 ? (
        <p className={classes.empty}>The first phase begins when the test is started.</p>
      ) : (
        <div className={classes.frame}>
          <Table aria-label="Phases">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Phase</Table.Th>
                <Table.Th>Why</Table.Th>
                <Table.Th>When</Table.Th>
                <Table.Th className={classes.secondary}>Visitors divided into</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {test.phases.toReversed().map((phase) => (
                <PhaseRow key={phase.number} phase={phase} testKey={test.key} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Panel>
  );
}

function PhaseRow({ phase, testKey }: { phase: SplitTestPhase; testKey: string }) {
  const { number, startedAt, endedAt, reasons, definition } = phase;
  return (
    <Table.Tr>
      <Table.Td>
        <PropertyLink
          to={`split-tests/${encodeURIComponent(testKey)}`}
          search={{ tab: 'results', phase: String(number) }}
        >
          {number}
        </PropertyLink>
      </Table.Td>
      <Table.Td>{reasons.map((reason) => REASONS[reason] ?? reason).join(', ')}</Table.Td>
      <Table.Td>
        {formatDateTime(startedAt)} – {endedAt === null ? 'now' : formatDateTime(endedAt)}
      </Table.Td>
      <Table.Td className={classes.secondary}>{divisionWords(definition)}</Table.Td>
    </Table.Tr>
  );
}

/** Such as "control 50 %, b 50 %, of 80 % of the traffic". */
function divisionWords({ variations, trafficAllocation }: SplitTestPhase['definition']): string {
  const shares = weightShares(variations.map(({ weight }) => weight));
  const parts = variations.map(({ key }, index) => `${key} ${shares[index]} %`).join(', ');
  return trafficAllocation === 100 ? parts : `${parts}, of ${trafficAllocation} % of the traffic`;
}

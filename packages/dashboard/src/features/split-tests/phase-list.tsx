import type { AudienceInForce } from '@switchyard/core/lifecycle/phases';
import { weightShares } from '../../ui/fields/weight-shares.ts';
import { formatDateTime } from '../../ui/format/format.ts';
import tables from '../../ui/lists/table.module.css';
import { Panel } from '../../ui/page/panel.tsx';
import type { SplitTestPhase } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { conditionsSentence } from '../targeting/condition-sentence.ts';
import classes from './phase-list.module.css';
import { type ReportedTest, resultsOf } from './reported-test.ts';

const REASONS: Record<string, string> = {
  started: 'The test was started',
  seed: 'Visitors were assigned anew',
  traffic: 'Less traffic',
  weights: 'Changed weights',
  variations: 'Changed variations',
  exclusion: 'Changed exclusion group',
  holdout: 'Larger holdout',
  unit: 'Visitors or users are counted',
  audience: 'Another audience',
  rules: 'Other rules around it',
};

/** The periods in which the test ran with one definition, latest first. */
export function PhaseList({ test }: { test: ReportedTest }) {
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
          <table className={tables.table} aria-label="Phases">
            <thead>
              <tr>
                <th scope="col">Phase</th>
                <th scope="col">Why</th>
                <th scope="col">When</th>
                <th scope="col" className={classes.secondary}>
                  Visitors divided into
                </th>
              </tr>
            </thead>
            <tbody>
              {test.phases.toReversed().map((phase) => (
                <PhaseRow key={phase.number} phase={phase} test={test} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function PhaseRow({ phase, test }: { phase: SplitTestPhase; test: ReportedTest }) {
  const { page, search } = resultsOf(test);
  const { number, startedAt, servedFrom, endedAt, reasons, definition } = phase;
  return (
    <tr>
      <td>
        <PropertyLink to={page} search={{ ...search, tab: 'results', phase: String(number) }}>
          {number}
        </PropertyLink>
      </td>
      <td>{reasons.map((reason) => REASONS[reason] ?? reason).join(', ')}</td>
      <td>
        {formatDateTime(startedAt)} – {endedAt === null ? 'now' : formatDateTime(endedAt)}
        {servedFrom !== undefined && <div className="dimmed">{lateWords(servedFrom, endedAt)}</div>}
      </td>
      <td className={classes.secondary}>
        {divisionWords(definition)}
        {definition.audience && <PhaseAudience audience={definition.audience} />}
      </td>
    </tr>
  );
}

/** Who took part, with the segments as they were then. */
function PhaseAudience({ audience }: { audience: AudienceInForce }) {
  const { segments } = useProperty().configuration;
  const nameOf = (id: string) => segments.find((segment) => segment.id === id)?.name || id;
  return (
    <>
      <div className="dimmed">
        Only if {conditionsSentence(audience.conditions, audience.match, segments)}
      </div>
      {audience.segments.map(({ id, match, conditions }) => (
        <div key={id} className="dimmed">
          {nameOf(id)}: {conditionsSentence(conditions, match, segments)}
        </div>
      ))}
    </>
  );
}

/** The schedule came due while no server ran. */
function lateWords(servedFrom: number, endedAt: number | null): string {
  return endedAt !== null && servedFrom > endedAt
    ? 'As planned, but the server was down all the time: nobody saw it'
    : `As planned; the server was down, so it started on ${formatDateTime(servedFrom)}`;
}

/** Such as "control 50 %, b 50 %, of 80 % of the traffic". */
function divisionWords({ variations, trafficAllocation }: SplitTestPhase['definition']): string {
  const shares = weightShares(variations.map(({ weight }) => weight));
  const parts = variations
    .map(({ key, retired }, index) => `${key} ${shares[index]} %${retired ? ' (retired)' : ''}`)
    .join(', ');
  return trafficAllocation === 100 ? parts : `${parts}, of ${trafficAllocation} % of the traffic`;
}

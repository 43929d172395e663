import { Check } from '../../../ui/fields/check.tsx';
import { formatDateTime } from '../../../ui/format/format.ts';
import tables from '../../../ui/lists/table.module.css';
import { Panel } from '../../../ui/page/panel.tsx';
import { PropertyLink } from '../../configuration/property-link.tsx';
import { type ReportedTest, resultsOf } from '../reported-test.ts';
import { ExportButtons } from './export-buttons.tsx';
import { describeEngine } from './method-words.ts';
import classes from './report-panel.module.css';
import type { Results } from './results-types.ts';
import { useResultFilters } from './use-result-filters.ts';

/** What was counted and how, and the files to take along. */
export function ReportPanel({ test, results }: { test: ReportedTest; results: Results }) {
  const [{ bots }, change] = useResultFilters();
  return (
    <Panel title="Phases, method and export">
      <Phases test={test} results={results} />
      <p>
        {describeEngine(results.method)} <PropertyLink to="settings">Change it in the settings</PropertyLink>
      </p>
      <Check
        kind="switch"
        label="Count crawlers too"
        checked={bots === 'include'}
        onChange={(isOn) => change({ bots: isOn ? 'include' : '' })}
      />
      <ExportButtons test={test} results={results} />
      <p className={classes.note}>
        The bundle has the definition, all counts and the verdict, so that anybody can recompute it:{' '}
        <code>switchyard verify {resultsOf(test).file}.json</code>
      </p>
    </Panel>
  );
}

function Phases({ test, results }: { test: ReportedTest; results: Results }) {
  const [{ variation, by, bots }] = useResultFilters();
  const { page, search } = resultsOf(test);
  const latest = results.phases.at(-1)?.number;
  const shown = results.phase?.number;
  return (
    <table className={tables.compact}>
      <thead>
        <tr>
          <th scope="col">Phase</th>
          <th scope="col">From</th>
          <th scope="col">To</th>
          <th scope="col">Why it began</th>
        </tr>
      </thead>
      <tbody>
        {results.phases.map(({ number, startedAt, endedAt, reasons }) => (
          <tr key={number}>
            <th scope="row">
              {number === shown ? (
                <span aria-current="true">{number}, shown</span>
              ) : (
                <PropertyLink
                  to={page}
                  search={{
                    ...search,
                    ...(number !== latest && { phase: String(number) }),
                    variation,
                    by,
                    bots,
                  }}
                >
                  Show {number}
                </PropertyLink>
              )}
            </th>
            <td>{formatDateTime(startedAt)}</td>
            <td>{endedAt === null ? 'now' : formatDateTime(endedAt)}</td>
            <td>{reasons.join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

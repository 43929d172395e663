import { plural } from '../../ui/format/format.ts';
import tables from '../../ui/lists/table.module.css';
import { dayOf } from './split-test-facts.ts';
import { SplitTestOutcome } from './split-test-outcome.tsx';
import { SplitTestStatus } from './split-test-status.tsx';
import classes from './split-test-table.module.css';
import { TestLink } from './test-link.tsx';
import type { ListedTest } from './use-split-test-list.ts';
import { attentionOf, visitorWords } from './verdict-summary.ts';

export function SplitTestTable({ listed }: { listed: readonly ListedTest[] }) {
  return (
    <div className={classes.frame}>
      <table className={tables.table} aria-label="Split tests">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Status</th>
            <th scope="col">Primary goal</th>
            <th scope="col" className={classes.secondary}>
              Progress
            </th>
            <th scope="col" className={classes.secondary}>
              Owner
            </th>
            <th scope="col" className={classes.secondary}>
              Tags
            </th>
          </tr>
        </thead>
        <tbody>
          {listed.map((each) => (
            <Row key={each.test.key} listed={each} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ listed }: { listed: ListedTest }) {
  const { test, results } = listed;
  const attention = attentionOf(results?.data);
  return (
    <tr>
      <td className={classes.name}>
        <TestLink test={test} />
        <div className={classes.key}>{test.measuredRule?.flagKey ?? test.key}</div>
        {test.place && <div className={classes.place}>{test.place}</div>}
      </td>
      <td>
        <SplitTestStatus test={test} />
        {attention !== 'none' && (
          <div className={attention === 'decision' ? classes.decide : 'bad'}>
            {attention === 'decision' ? 'Needs decision' : 'Needs a look'}
          </div>
        )}
      </td>
      <td>
        <SplitTestOutcome listed={listed} />
      </td>
      <td className={classes.secondary}>
        <Progress listed={listed} />
      </td>
      <td className={`${classes.secondary} ${classes.owner}`} title={test.owner ?? undefined}>
        {test.owner}
      </td>
      <td className={classes.secondary}>
        <div className={classes.tags}>
          {test.tags.map((tag) => (
            <span key={tag} className="badge">
              {tag}
            </span>
          ))}
        </div>
      </td>
    </tr>
  );
}

function Progress({ listed: { test, results } }: { listed: ListedTest }) {
  const day = dayOf(test);
  if (day === undefined) return null;
  return (
    <>
      {test.phases.at(-1)?.endedAt === null ? `Day ${day}` : `Ran ${plural(day, 'day')}`}
      {results?.data && <div className="dimmed">{visitorWords(results.data, test.plannedVisitors)}</div>}
    </>
  );
}

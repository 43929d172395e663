import type { OverlapReport } from '@switchyard/core/api/learning/overlap';
import { formatCount, formatPercent } from '../../../../ui/format/format.ts';
import { StackedTable } from '../../../../ui/lists/stacked-table.tsx';
import { TestLink } from '../../test-link.tsx';
import { StateTag, type Tone } from '../state-tag.tsx';
import classes from './overlap-table.module.css';

type Finding = OverlapReport['tests'][number]['finding'];

const STATES: Record<Finding, { tone: Tone; label: string }> = {
  none: { tone: 'good', label: 'No interaction' },
  interaction: { tone: 'warn', label: 'Interaction' },
  dependent: { tone: 'bad', label: 'Not independent' },
  collecting: { tone: 'dimmed', label: 'Too early' },
  'not-compared': { tone: 'dimmed', label: 'Not compared' },
  nobody: { tone: 'dimmed', label: 'Nobody in both' },
};

/** The others say the same as their label and the numbers. */
const EXPLAINED: ReadonlySet<Finding> = new Set(['interaction', 'dependent', 'not-compared']);

/** The other tests, with what was found about each. */
export function OverlapTable({ report: { tests } }: { report: OverlapReport }) {
  return (
    <StackedTable head={['Test', 'In both', 'Share', 'Finding']}>
      {tests.map(({ splitTestKey: key, visitors, share, finding, words, ...test }) => (
        <tr key={key}>
          <td data-label="Test">
            <span>
              <TestLink test={{ ...test, key }} />
            </span>
          </td>
          <td data-label="In both" className={classes.number}>
            {formatCount(visitors)}
          </td>
          <td data-label="Share" className={classes.number}>
            {formatPercent(share)}
          </td>
          <td data-label="Finding">
            <div>
              <StateTag tone={STATES[finding].tone}>{STATES[finding].label}</StateTag>
              {EXPLAINED.has(finding) && <div className="dimmed">{words}</div>}
            </div>
          </td>
        </tr>
      ))}
    </StackedTable>
  );
}

import type { DecisionRuleReport, RuleChange } from '@switchyard/core/api/decision/decision-rule';
import { formatDateTime } from '../../../ui/format/format.ts';
import { Panel } from '../../../ui/page/panel.tsx';
import { RuleSentences } from '../rule-sentences.tsx';
import classes from './decision-rule-panel.module.css';
import type { Results } from './results-types.ts';
import { StateTag } from './state-tag.tsx';

/** The rule that was fixed at the start, and what was changed after it. */
export function DecisionRulePanel({ rule }: { rule: DecisionRuleReport }) {
  return (
    <Panel title="How this test is decided" id="decision-rule">
      <p className={classes.state}>
        {rule.changes.length > 0 ? (
          <StateTag tone="warn">Changed after the start</StateTag>
        ) : (
          <StateTag tone={rule.state === 'fixed' ? 'good' : 'dimmed'}>
            {rule.state === 'fixed' ? 'Fixed at the start' : 'Not fixed'}
          </StateTag>
        )}
        <span>{rule.words}</span>
      </p>
      {rule.changes.length > 0 && (
        <ul className={classes.changes} aria-label="Changed after the start">
          {rule.changes.map((change) => (
            <li key={change.words}>
              <strong>{change.words}</strong>
              <span className="dimmed"> {originOf(change)}</span>
            </li>
          ))}
        </ul>
      )}
      {rule.incomplete !== undefined && <p className="dimmed">{rule.incomplete}</p>}
      {rule.fixedAt !== null && <p className="dimmed">As fixed on {formatDateTime(rule.fixedAt)}:</p>}
      <RuleSentences rule={rule} />
    </Panel>
  );
}

function originOf({ at, by }: RuleChange): string {
  if (at === null) return 'changed after the start';
  return `changed after the start, on ${formatDateTime(at)}${by === undefined ? '' : ` by ${by}`}`;
}

/** Beside the verdict, because it decides by other rules than those that were promised. */
export function RuleChangeNote({ results }: { results: Results }) {
  const { changes = [], words } = results.decisionRule ?? {};
  if (changes.length === 0) return null;
  return (
    <p className={classes.note}>
      <StateTag tone="warn">Changed after the start</StateTag>
      <a href="#decision-rule">{words}</a>
    </p>
  );
}

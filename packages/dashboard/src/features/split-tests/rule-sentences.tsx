import type { DecisionRuleReport } from '@switchyard/core/api/decision/decision-rule';
import classes from './rule-sentences.module.css';

/** How a test is decided, a sentence per line. */
export function RuleSentences({ rule }: { rule: DecisionRuleReport }) {
  return (
    <ul className={classes.sentences} aria-label="Decision rule">
      {rule.sentences.map((sentence) => (
        <Sentence key={sentence} text={sentence} />
      ))}
    </ul>
  );
}

/** What the sentence is about stands out, such as "Ship:". */
function Sentence({ text }: { text: string }) {
  const [, subject, rest] = /^(Ship|Roll back|No difference):(.*)$/.exec(text) ?? [];
  return (
    <li>
      {subject === undefined ? (
        text
      ) : (
        <>
          <strong>{subject}:</strong>
          {rest}
        </>
      )}
    </li>
  );
}

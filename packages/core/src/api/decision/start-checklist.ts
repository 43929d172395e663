import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf } from '../common.ts';
import { DecisionRuleReport } from './decision-rule.ts';
import { DECISION_RULE_EXAMPLE } from './decision-rule-example.ts';

const ChecklistItem = namedObject('StartChecklistItem', {
  id: oneOf(['goal', 'split', 'audience', 'aa-test', 'overlap', 'plan']),
  state: oneOf(['ok', 'warning', 'unknown', 'problem'], {
    description: '`unknown`: what is recorded does not say. Nothing here prevents a start',
  }),
  title: Type.String({ description: 'What is checked' }),
  words: Type.String({ description: 'What was found' }),
  link: nullable(Type.String({ description: 'Where to look into it: a path of the dashboard' })),
});
export type ChecklistItem = Static<typeof ChecklistItem>;

export const StartChecklist = Type.Object(
  {
    splitTestKey: Type.String(),
    asOf: Type.Integer({ description: 'When the events were read; Unix milliseconds' }),
    days: Type.Integer({ description: 'Days of events that were looked at' }),
    decisionRule: DecisionRuleReport,
    items: Type.Array(ChecklistItem),
  },
  {
    title: 'StartChecklist',
    examples: [
      {
        splitTestKey: 'hero',
        asOf: 1766016000000,
        days: 14,
        decisionRule: { ...DECISION_RULE_EXAMPLE, state: 'not-started', fixedAt: null, changes: [] },
        items: [
          {
            id: 'goal',
            state: 'ok',
            title: 'The goals have events',
            words: 'In the last 14 days, 512 visitors reached "Sign-ups".',
            link: '/p/shop/goals/signup',
          },
        ],
      },
    ],
  },
);
export type StartChecklist = Static<typeof StartChecklist>;

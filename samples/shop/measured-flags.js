import { compileFlags } from '../../packages/core/dist/evaluation/flags.js';
import { READING_TIME_RULE } from './flags.js';

const regex = () => () => false;

/**
 * The measured rules with the truth about them, like the split tests:
 *
 * - `shownOn`: the page for which the server evaluates the flag
 * - `effects`: by variation and goal, the factor on the chance of a visit to reach the goal
 * - `rule`: as it was measured, if that has ended
 */
const MEASURED_RULES = [
  {
    flagKey: 'help-answers',
    ruleId: 'half',
    shownOn: 'contact',
    effects: { on: { 'support-request': 0.5 } },
  },
  { flagKey: 'reading-time', ruleId: 'half', shownOn: 'journal', effects: {}, rule: READING_TIME_RULE },
  // Rolled back by itself once the server looks at the visits.
  {
    flagKey: 'endless-journal',
    ruleId: 'readers',
    shownOn: 'journal',
    effects: { on: { newsletter: 0.3 } },
  },
];

/** As tests of the simulation, with their phases. */
export function measuredTests({ flags, segments }) {
  return MEASURED_RULES.map(({ flagKey, ruleId, rule, ...truth }) => {
    const { environments, ...flag } = flags.find(({ key }) => key === flagKey);
    const { production } = environments;
    const configuration = rule === undefined ? production : { ...production, rules: [rule] };
    const set = compileFlags([{ ...flag, configuration }], segments, { regex });
    const { phases } = configuration.measured.find((each) => each.ruleId === ruleId);
    return {
      ...truth,
      key: `flag:${flagKey}/production/${ruleId}`,
      phases,
      variationFor: ({ id: visitorId }) => set.exposures(flagKey, { visitorId })[0]?.variant,
    };
  });
}

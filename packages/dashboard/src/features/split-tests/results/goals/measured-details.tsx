import { Text } from '@mantine/core';
import { useContext } from 'react';
import { ProgressBar } from '../../../../ui/charts/progress-bar.tsx';
import { formatCount, formatPercent, plural } from '../../../../ui/format/format.ts';
import type { GoalResult } from '../results-types.ts';
import { RetiredVariations } from '../retired-variations.tsx';
import classes from './measured-details.module.css';

type Measured = NonNullable<GoalResult['measured']>[number];

/** What only metrics have: how long visitors are followed, the steps of a funnel, and the number of values. */
export function MeasuredDetails({ goal }: { goal: GoalResult }) {
  const { measured, metricKind } = goal;
  if (measured === undefined) return null;
  return (
    <div className={classes.details}>
      <Followed goal={goal} measured={measured} />
      {metricKind === 'quantile' && <NumberOfValues measured={measured} />}
      {metricKind === 'funnel' && <FunnelTable name={goal.name} measured={measured} />}
    </div>
  );
}

/** Without a window, everybody counts at once. */
function Followed({ goal, measured }: { goal: GoalResult; measured: readonly Measured[] }) {
  const pending = measured.reduce((sum, each) => sum + each.pending, 0);
  const days = goal.withinDays ?? null;
  if (days === null && pending === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      {days !== null && `Each visitor is followed for ${plural(days, 'day')} and counts once they are over. `}
      {pending > 0
        ? `${plural(pending, 'visitor')} ${pending === 1 ? 'is' : 'are'} still followed, and not counted yet.`
        : 'Nobody is followed any more.'}
    </Text>
  );
}

/** Several values of a visitor are not independent: how many there are of how many visitors says what they are worth. */
function NumberOfValues({ measured }: { measured: readonly Measured[] }) {
  const words = measured.map(
    ({ key, values = 0, visitors }) => `${key}: ${plural(values, 'value')} of ${plural(visitors, 'visitor')}`,
  );
  return (
    <Text size="sm" c="dimmed">
      {words.join('; ')}
    </Text>
  );
}

/** How many got how far; each step counts only after the one before it. */
function FunnelTable({ name, measured }: { name: string; measured: readonly Measured[] }) {
  const retired = useContext(RetiredVariations);
  const steps = measured[0]?.steps ?? [];
  if (steps.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls sideways on narrow screens, also with the keyboard
    <section className={classes.scroll} aria-label={`${name}: steps`} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Step</th>
            {measured.map(({ key }) => (
              <th key={key} scope="col">
                {key}
                {retired.has(key) && ' (retired)'}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.map((step, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have an order and nothing else
            <tr key={index}>
              <th scope="row">
                {index + 1}. {step.name}
              </th>
              {measured.map(({ key, steps: own = [], visitors }) => (
                <td key={key}>
                  <Reached visitors={own[index]?.visitors ?? 0} of={visitors} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Reached({ visitors, of }: { visitors: number; of: number }) {
  const share = of === 0 ? 0 : visitors / of;
  return (
    <>
      {of === 0 ? '–' : formatPercent(share)} <span className="dimmed">{formatCount(visitors)}</span>
      <div className={classes.bar}>
        <ProgressBar share={share} />
      </div>
    </>
  );
}

import { type AaRound, aaRoundAt } from '@switchyard/core/lifecycle/aa-test';
import type { ReportGoal } from '@switchyard/core/stats/report/report-input';
import type { PropertyConfiguration } from '../../configuration/property/property-configuration.ts';

const MAX_GOALS = 20;

/** One round of an A/A test, small enough to send to another thread. */
export interface AaScope {
  readonly propertyId: string;
  readonly hashSeed: string;
  readonly mode: 'assignment' | 'exposures';
  readonly currency: string;
  readonly goals: readonly ReportGoal[];
  readonly round: AaRound;
  /** Midnight after the last day that counts. */
  readonly until: number;
}

export function aaScope(
  {
    id,
    hashSeed,
    goals,
    aaTest,
    displayCurrency,
  }: Pick<PropertyConfiguration, 'id' | 'hashSeed' | 'goals' | 'aaTest' | 'displayCurrency'>,
  until: number,
): AaScope {
  return {
    propertyId: id,
    hashSeed,
    mode: aaTest === 'exposures' ? 'exposures' : 'assignment',
    currency: displayCurrency,
    goals: goals.slice(0, MAX_GOALS).map((goal) => ({ ...goal, role: 'secondary' })),
    round: aaRoundAt(until - 1),
    until,
  };
}

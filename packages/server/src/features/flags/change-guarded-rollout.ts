import type { Rollout } from '@switchyard/core/api/targeting';
import type { HarmedVariation, HarmStopped, RolloutStayed } from '@switchyard/core/api/webhook-payloads';
import {
  type RolloutEnd,
  stayingRollout,
  takeGuardedStep,
  withoutGuardrails,
} from '@switchyard/core/lifecycle/guarded-rollout';
import type { RolloutDecision } from '@switchyard/core/stats/rollout/guarded-rollout';
import type { Database } from '../../configuration/database/database.ts';
import { SAFE_ROLLOUT, SYSTEM } from '../../configuration/property/actor.ts';
import type {
  EnvironmentFlagConfiguration,
  Flag,
  PropertyConfiguration,
} from '../../configuration/property/property-configuration.ts';
import type { ChangeRequest, ConfigurationWriter } from '../../configuration/writer/configuration-writer.ts';
import type { GuardedPlace } from './guarded-rollouts.ts';

/** The history shows a comment as one paragraph. */
const MAX_COMMENT = 500;

/** What a look at a rollout found. */
export interface FoundDecision {
  decision: RolloutDecision;
  words: string;
  harms: HarmedVariation[];
  asOf: number;
}

export type RolloutNotice =
  | { type: 'harm.stopped'; data: HarmStopped }
  | { type: 'rollout.stayed'; data: RolloutStayed };

export interface GuardedServices {
  writer: ConfigurationWriter;
  /** Tells the owners, in the transaction of the change. */
  notifyOfRollout: (
    database: Database,
    property: PropertyConfiguration,
    notice: RolloutNotice,
    at: number,
  ) => Promise<void>;
}

/** A change of the rollout, and why. */
interface RolloutChange {
  request: ChangeRequest;
  rolloutAt: (now: number) => Rollout;
  action: RolloutEnd['action'] | 'step';
  percentage: number;
  comment: string;
}

/** Does what was decided. Returns whether it was; not if the flag is not as it was evaluated any more. */
export async function changeGuardedRollout(
  { writer, notifyOfRollout }: GuardedServices,
  evaluated: GuardedPlace,
  found: FoundDecision,
): Promise<boolean> {
  const wanted = changeFor(evaluated, found);
  if (wanted === undefined) return false;
  let isDone = false;
  await writer.changeProperty(evaluated.property.id, wanted.request, async ({ current, database, now }) => {
    isDone = false;
    const flag = current?.flags.find(({ id }) => id === evaluated.flag.id);
    // Whoever has changed the flag since then may have done so because of the harm.
    if (current === undefined || flag === undefined || flag.version !== evaluated.flag.version)
      return current;
    const next = withChange(flag, evaluated, wanted, now);
    const notice = noticeOf(evaluated, wanted, found);
    if (notice !== undefined) await notifyOfRollout(database, current, notice, now);
    isDone = true;
    return { ...current, flags: current.flags.map((each) => (each === flag ? next : each)) };
  });
  return isDone;
}

function changeFor({ rollout }: GuardedPlace, { decision, words }: FoundDecision): RolloutChange | undefined {
  const step = rollout.schedule?.[0];
  switch (decision.action) {
    case 'wait':
      return undefined;
    case 'go': {
      const comment = cut(`Step to ${decision.percentage} %. ${words}`);
      return {
        request: { actor: SYSTEM, via: 'schedule', comment },
        rolloutAt: (now) => takeGuardedStep(rollout, now),
        action: decision.percentage >= 100 ? 'finished' : 'step',
        percentage: decision.percentage,
        comment,
      };
    }
    case 'stay': {
      const comment = cut(`Stays at ${rollout.percentage} % instead of ${step?.percentage} %. ${words}`);
      return {
        request: { actor: SAFE_ROLLOUT, via: 'monitoring', comment },
        rolloutAt: () => stayingRollout(rollout),
        action: 'stayed',
        percentage: rollout.percentage,
        comment,
      };
    }
    case 'roll-back': {
      const { percentage } = decision;
      const comment = cut(`Rolled back from ${rollout.percentage} % to ${percentage} %. ${words}.`);
      return {
        request: { actor: SAFE_ROLLOUT, via: 'monitoring', comment },
        rolloutAt: () => ({ ...withoutGuardrails(rollout), percentage }),
        action: 'rolled-back',
        percentage,
        comment,
      };
    }
  }
}

const cut = (comment: string) =>
  comment.length > MAX_COMMENT ? `${comment.slice(0, MAX_COMMENT - 1).toWellFormed()}…` : comment;

function withChange(flag: Flag, { name, rollout }: GuardedPlace, change: RolloutChange, now: number): Flag {
  const { action, percentage, comment } = change;
  const ended =
    action === 'step' ? undefined : { action, at: now, from: rollout.percentage, percentage, words: comment };
  const changed = (configuration: EnvironmentFlagConfiguration): EnvironmentFlagConfiguration => ({
    ...configuration,
    rules: configuration.rules.map((rule) =>
      rule.id === name.ruleId ? { ...rule, rollout: change.rolloutAt(now) } : rule,
    ),
    ...(configuration.measured && {
      measured: configuration.measured.map((each) =>
        each.ruleId === name.ruleId && each.plan !== undefined && ended !== undefined
          ? { ...each, plan: { ...each.plan, ended } }
          : each,
      ),
    }),
  });
  const configurations = flag.configurations.map((each) =>
    each.environmentId === name.environment ? changed(each) : each,
  );
  return { ...flag, configurations };
}

function noticeOf(
  { property, name, flag, rule, rollout }: GuardedPlace,
  { action, percentage, comment }: RolloutChange,
  { harms, asOf }: FoundDecision,
): RolloutNotice | undefined {
  const propertyId = property.id;
  if (action === 'stayed') {
    const wantedPercentage = rollout.schedule![0]!.percentage;
    const data = { propertyId, measuredRule: name, percentage, wantedPercentage, words: comment, asOf };
    return { type: 'rollout.stayed', data };
  }
  if (action !== 'rolled-back') return undefined;
  const configuration = flag.configurations.find(({ environmentId }) => environmentId === name.environment);
  const measured = configuration?.measured?.find(({ ruleId }) => ruleId === rule.id);
  return {
    type: 'harm.stopped',
    data: {
      propertyId,
      splitTest: null,
      measuredRule: name,
      action,
      percentage,
      phase: measured?.phases.at(-1)?.number ?? 1,
      harms,
      words: comment,
      asOf,
    },
  };
}

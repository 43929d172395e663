import { toDollars } from '@switchyard/core/money';
import { timeZone } from '@switchyard/core/time-zone';
import type { Database } from '../../configuration/database/database.ts';
import { inLockingTransaction } from '../../configuration/database/in-transaction.ts';
import type { Goal, PropertyConfiguration } from '../../configuration/property/property-configuration.ts';
import type { EventStoreClient } from '../../events/thread/event-store-client.ts';
import { enqueue, subscribedTo, type WebhookEvent } from './enqueue.ts';
import { listWebhooks } from './webhook-store.ts';

const EVENT = 'goal.target_reached';
const LOOK_EVERY_MS = 5 * 60 * 1000;

interface GoalTarget {
  value: number;
  period: 'week' | 'month' | 'quarter';
}

type GoalWithTarget = Pick<Goal, 'id' | 'name' | 'kind'> & { target: GoalTarget };

export interface GoalTargetWatchOptions {
  database: Database;
  properties: () => readonly PropertyConfiguration[];
  eventStore: Pick<EventStoreClient, 'goalTotals'>;
  /** Called after new deliveries. */
  onQueued: () => void;
}

/** Notices when a goal reaches its target for the current period; once per goal, target and period. */
export class GoalTargetWatch {
  readonly #options: GoalTargetWatchOptions;
  /** By the monotonic clock. */
  #nextLookAt = 0;

  constructor(options: GoalTargetWatchOptions) {
    this.#options = options;
  }

  async run(now: number): Promise<void> {
    if (performance.now() < this.#nextLookAt) return;
    this.#nextLookAt = performance.now() + LOOK_EVERY_MS;
    await this.look(now);
  }

  async look(now: number): Promise<void> {
    for (const property of this.#options.properties()) {
      if (subscribedTo(property.webhooks, EVENT).length === 0) continue;
      for (const goal of property.goals.filter(hasTarget)) await this.#lookAt(property, goal, now);
    }
  }

  async #lookAt(property: PropertyConfiguration, goal: GoalWithTarget, now: number): Promise<void> {
    const { database, eventStore, onQueued } = this.#options;
    const propertyId = property.id;
    const zone = timeZone(property.timeZone);
    const period = { from: zone.startOf(goal.target.period, now), to: zone.endOf(goal.target.period, now) };
    if (await isKnown(database, propertyId, goal, period.from)) return;
    const totals = await eventStore.goalTotals({ propertyId, goalId: goal.id, ...period, bot: false });
    const total =
      goal.kind === 'count'
        ? totals.increments - totals.decrements
        : toDollars(totals.incrementedMicros - totals.decrementedMicros);
    if (total < goal.target.value) return;
    const event = eventOf(propertyId, goal, total, period, now);
    const queued = await inLockingTransaction(database, async (transaction) => {
      await saveReached(transaction, propertyId, goal, period.from);
      return enqueue(transaction, propertyId, await listWebhooks(transaction, propertyId), event);
    });
    if (queued > 0) onQueued();
  }
}

const hasTarget = (goal: Goal): goal is Goal & GoalWithTarget => goal.target !== null;

interface Period {
  from: number;
  /** Exclusive. */
  to: number;
}

async function isKnown(
  database: Database,
  propertyId: string,
  { id, target }: GoalWithTarget,
  periodStart: number,
): Promise<boolean> {
  const known = await database
    .selectFrom('webhook_goal_targets')
    .select('goal_id')
    .where('property_id', '=', propertyId)
    .where('goal_id', '=', id)
    .where('period', '=', target.period)
    .where('period_start', '=', periodStart)
    .where('value', '=', target.value)
    .executeTakeFirst();
  return known !== undefined;
}

async function saveReached(
  database: Database,
  propertyId: string,
  { id, target: { value, period } }: GoalWithTarget,
  periodStart: number,
): Promise<void> {
  const fields = { period, period_start: periodStart, value };
  await database
    .insertInto('webhook_goal_targets')
    .values({ property_id: propertyId, goal_id: id, ...fields })
    .onConflict((conflict) => conflict.columns(['property_id', 'goal_id']).doUpdateSet(fields))
    .execute();
}

function eventOf(
  propertyId: string,
  { id, name, kind, target }: GoalWithTarget,
  total: number,
  { from, to }: Period,
  at: number,
): WebhookEvent<typeof EVENT> {
  const { value, period } = target;
  return {
    type: EVENT,
    data: { propertyId, goal: { id, name, kind }, target: { value, period }, total, from, to },
    dedupeKey: `goal:${id}:${period}:${from}:${value}`,
    at,
  };
}

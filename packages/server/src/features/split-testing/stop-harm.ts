import type { HarmStopped } from '@switchyard/core/api/webhook-payloads';
import type { Database } from '../../configuration/database/database.ts';
import { SAFE_ROLLOUT } from '../../configuration/property/actor.ts';
import type {
  PropertyConfiguration,
  SplitTest,
} from '../../configuration/property/property-configuration.ts';
import type { ConfigurationWriter } from '../../configuration/writer/configuration-writer.ts';

/** The history shows a comment as one paragraph. */
const MAX_COMMENT = 500;

/** What a look at a test found. */
export interface FoundHarm {
  /** One for each variation that does harm. */
  readonly harms: HarmStopped['harms'];
  /** Time of the counts. */
  readonly asOf: number;
}

export interface StopServices {
  writer: ConfigurationWriter;
  /** Tells the owners, in the transaction of the change. */
  notify: (
    database: Database,
    property: PropertyConfiguration,
    stopped: HarmStopped,
    at: number,
  ) => Promise<void>;
}

/**
 * Takes harmful variations out of a test, or stops it if no other is left. Returns what was done; undefined if the test
 * is not as it was evaluated any more.
 */
export async function stopHarm(
  { writer, notify }: StopServices,
  propertyId: string,
  evaluated: SplitTest,
  { harms, asOf }: FoundHarm,
): Promise<HarmStopped | undefined> {
  let stopped: HarmStopped | undefined;
  const comment = commentOn(evaluated, harms);
  await writer.changeProperty(
    propertyId,
    { actor: SAFE_ROLLOUT, via: 'monitoring', comment },
    async ({ current, database, now }) => {
      stopped = undefined;
      const test = current?.splitTests.find(({ id }) => id === evaluated.id);
      if (current === undefined || test === undefined || !isAsEvaluated(test, evaluated)) return current;
      const next = withoutHarm(test, harms, comment, now);
      const { key, name = null } = test;
      stopped = {
        propertyId,
        splitTest: { key, name },
        action: next.status === 'stopped' ? 'stopped' : 'retired',
        phase: test.phases.at(-1)!.number,
        harms,
        words: comment,
        asOf,
      };
      await notify(database, current, stopped, now);
      return { ...current, splitTests: current.splitTests.map((each) => (each === test ? next : each)) };
    },
  );
  return stopped;
}

/** Whoever has changed the test since then may have done so because of the harm. */
const isAsEvaluated = (test: SplitTest, evaluated: SplitTest) => test.version === evaluated.version;

const isHarmful = (key: string, harms: FoundHarm['harms']) =>
  harms.some(({ variation }) => variation === key);

const isOver = ({ variations }: SplitTest, harms: FoundHarm['harms']) =>
  variations.every(({ key, retired }, index) => index === 0 || retired || isHarmful(key, harms));

function withoutHarm(test: SplitTest, harms: FoundHarm['harms'], reason: string, now: number): SplitTest {
  if (isOver(test, harms)) {
    // What the dialog suggests to people: everybody sees the control, also where the page has other content.
    const winner = test.variations[0]!.key;
    return { ...test, status: 'stopped', winner, decision: { outcome: 'roll-back', reason, decidedAt: now } };
  }
  const variations = test.variations.map((each) =>
    isHarmful(each.key, harms) ? { ...each, retired: true as const } : each,
  );
  return { ...test, variations };
}

function commentOn(test: SplitTest, harms: FoundHarm['harms']): string {
  const verb = isOver(test, harms) ? 'Stopped' : 'Retired';
  const found = harms.map(({ variation, words }) => `"${variation}": ${words}`).join('; ');
  const comment = `${verb} automatically. ${found}.`;
  return comment.length > MAX_COMMENT ? `${comment.slice(0, MAX_COMMENT - 1).toWellFormed()}…` : comment;
}

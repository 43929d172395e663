import type { Evaluation, FlagContext, FlagRule, Step, TestSetup } from '../history.ts';
import { Memory, type Served, serve, valueIn } from './flags.ts';
import { changed, changesOf, type Definition, initialDefinition } from './phases.ts';

/** Visitor and user of a session, as far as they are known. */
export type IdentityOf = (sessionId: string) => { visitorId?: string; userId?: string } | undefined;

/** What flags serve, as the list of changes says, and which evaluations are recorded. */
export class EvaluatedFlags {
  readonly #rules: { test: TestSetup; flag: FlagRule; steps: readonly Step[] }[];
  readonly #memory = new Memory();

  constructor(tests: readonly TestSetup[], steps: readonly Step[]) {
    this.#rules = tests.flatMap((test) =>
      test.flag === undefined ? [] : [{ test, flag: test.flag, steps }],
    );
  }

  /** What is served, and what is recorded, which is nothing if the same was recorded on this day. */
  evaluate({ flagKey, context }: Evaluation, at: number, identityOf: IdentityOf) {
    const { test, flag, steps } = this.#rules.find((rule) => rule.flag.flagKey === flagKey)!;
    const { definition, phase, isOn, winner } = stateOf(test, steps, at);
    if (!isOn) return { value: 'none' };
    const complete = withIdentity(context, identityOf);
    const served = serve(flag, definition, complete);
    if (winner !== undefined) return { value: afterEnd(served, definition, winner, complete) };
    const { value, exposure } = served;
    if (exposure === undefined || !this.#memory.isFirst(at, test.key, phase, exposure)) return { value };
    return { value, recorded: { testKey: test.key, ...exposure } };
  }
}

function withIdentity(context: FlagContext, identityOf: IdentityOf): FlagContext {
  const known = context.sessionId === undefined ? undefined : identityOf(context.sessionId);
  return { ...known, ...context };
}

/** A flag at a time; `winner` is null if the measurement was ended without one. */
function stateOf(test: TestSetup, steps: readonly Step[], at: number) {
  let definition = initialDefinition(test);
  let [isOn, phase] = [false, 0];
  let winner: string | null | undefined;
  for (const { at: changedAt, change } of changesOf(test, steps)) {
    if (changedAt > at) break;
    definition = changed(definition, change);
    if (change.action === 'start' || change.action === 'resume') isOn = true;
    if (change.action === 'pause') isOn = false;
    if (change.action === 'stop') winner = change.winner;
    // Any number that differs between phases.
    phase++;
  }
  return { definition, phase, isOn, winner };
}

/** A promoted variation is served to everybody who matches; without a winner, only the measurement has ended. */
function afterEnd(
  served: Served,
  definition: Definition,
  winner: string | null,
  { plan }: FlagContext,
): string {
  if (winner === null || served.value === 'for teams') return served.value;
  const isReached = definition.plans === null || definition.plans.includes(plan ?? '');
  return isReached && winner !== 'off' ? valueIn(winner) : definition.otherwise;
}

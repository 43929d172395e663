import type { Change, Outcome, Report, TestSetup } from './history.ts';
import { valueIn } from './naive/flags.ts';
import { changed, type Definition, initialDefinition } from './naive/phases.ts';

const outcomeBody = (outcome: Outcome) => (typeof outcome === 'string' ? outcome : { ...outcome });

/** Goals and guardrails, as they are sent to the server. */
export const measuredBy = ({
  goals,
  guardrails,
  metrics = [],
}: Pick<TestSetup, 'goals' | 'guardrails' | 'metrics'>) => ({
  goals: [...goals.map(outcomeBody), ...metrics.map((metric) => ({ metric }))],
  guardrails: guardrails.map(outcomeBody),
});

/** What a program reports, as it is sent to the server. */
export const reportedBy = ({ exposures }: Report) =>
  exposures.map(({ testKey, variationKey: variant, timestamp: at, ...rest }) => {
    const [, flagKey, , ruleId] = testKey.split(/[:/]/);
    return { flagKey, ruleId, variant, at, ...rest };
  });

export const hasPlan = (values: string[]) => ({ attribute: 'plan', operator: 'in', values });

type ManageRequest = [method: string, path: string, body?: object];

/** The flags with measured rules, as they are by now. */
export class PlayedFlags {
  readonly #definitions: Map<string, { test: TestSetup; definition: Definition; isMeasured: boolean }>;

  constructor(tests: readonly TestSetup[]) {
    const flags = tests.filter(({ flag }) => flag !== undefined);
    this.#definitions = new Map(
      flags.map((test) => [test.key, { test, definition: initialDefinition(test), isMeasured: true }]),
    );
  }

  /** Paths and bodies of the flags, which are off. */
  items(): [path: string, body: object][] {
    return [...this.#definitions.values()].map(({ test, definition }) => [
      `/flags/${test.flag!.flagKey}`,
      flagOf(test, { enabled: false, ...configuration(test, definition, true) }),
    ]);
  }

  /** The requests for a change of a measured rule; none if the change is about a split test. */
  requestsFor(change: Change): ManageRequest[] {
    const request = this.#requestFor(change);
    if (change.action !== 'again' || request === undefined) return request ? [request] : [];
    const [, path, body] = request;
    return [
      ['DELETE', path],
      ['PUT', path, body],
    ];
  }

  #requestFor(change: Change): ManageRequest | undefined {
    const state = this.#definitions.get(change.testKey);
    if (state === undefined) return undefined;
    const { flagKey, ruleId } = state.test.flag!;
    const path = `/flags/${flagKey}`;
    const patch = (production: object): ManageRequest => ['PATCH', path, { environments: { production } }];
    switch (change.action) {
      case 'start':
      case 'resume':
        return patch({ enabled: true });
      case 'pause':
        return patch({ enabled: false });
      case 'again': {
        const production = configuration(state.test, state.definition, state.isMeasured);
        return ['PUT', path, flagOf(state.test, { enabled: true, ...production })];
      }
      case 'stop':
        if (change.winner !== null) return ['POST', `${path}/promote`, { ruleId, variant: change.winner }];
        state.isMeasured = false;
        break;
      default:
        state.definition = changed(state.definition, change);
    }
    return patch(configuration(state.test, state.definition, state.isMeasured));
  }
}

const flagOf = ({ flag }: TestSetup, production: object) => ({
  key: flag!.flagKey,
  type: 'string',
  defaultValue: 'none',
  environments: { production },
});

function configuration(test: TestSetup, definition: Definition, isMeasured: boolean) {
  const { variations, traffic, plans, otherwise } = definition;
  const { ruleId, kind, by } = test.flag!;
  const percentage = kind === 'rollout' ? variations[1]!.weight : traffic;
  const split = variations.map(({ key, weight }) => ({ key, value: valueIn(key), weight }));
  const rule = {
    id: ruleId,
    ...(plans !== null && { conditions: [hasPlan(plans)] }),
    ...((percentage < 100 || by) && { rollout: { percentage, ...(by && { by }) } }),
    ...(kind === 'rollout' ? { value: valueIn('on') } : { split }),
    ...(isMeasured && { measure: measuredBy(test) }),
  };
  return {
    value: otherwise,
    rules: [{ id: 'teams', conditions: [hasPlan(['team'])], value: 'for teams' }, rule],
  };
}

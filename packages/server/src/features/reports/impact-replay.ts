import { MAX_IMPACT_EXAMPLES } from '@switchyard/core/api/impact';
import { isCookieless } from '@switchyard/core/cleaning/cookieless';
import type { Context } from '@switchyard/core/evaluation/attribute-values';
import { compileFlags } from '@switchyard/core/evaluation/flags';
import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import { createMembership } from '@switchyard/core/evaluation/segments';
import {
  attributesOf,
  type Targeting,
  TargetingIndex,
  type UsedAttributes,
} from '@switchyard/core/evaluation/used-attributes';
import type { ImpactScope } from './impact-scope.ts';
import type { ImpactSessions } from './impact-sessions.ts';
import { dependsOnIds } from './impact-sessions.ts';
import { TransitionTally } from './impact-tally.ts';
import type { ImpactReplay } from './replay.ts';
import { splitTestReplay } from './split-test-replay.ts';

export function replaysOf(scope: ImpactScope, regex: RegexCompiler): ImpactReplay[] {
  return [
    ...(scope.flags ? flagReplays(scope.flags, regex) : []),
    ...(scope.segment ? [segmentReplay(scope.key, scope.segment, regex)] : []),
    ...(scope.splitTests?.changes ?? []).map((change) =>
      splitTestReplay(change, regex, (impact, own) => {
        if (scope.type === 'split-test') impact.splitTest = own;
        else impact.splitTests?.push({ splitTestKey: change.key, ...own });
      }),
    ),
  ];
}

/** Of the old and the new definition. */
function usedBy(before: Targeting, after: Targeting): UsedAttributes {
  const both = [attributesOf(before), attributesOf(after)];
  return {
    named: new Set(both.flatMap(({ named }) => [...named])),
    usesUnit: both.some(({ usesUnit }) => usesUnit),
  };
}

function flagReplays(
  { keys, environments }: NonNullable<ImpactScope['flags']>,
  regex: RegexCompiler,
): ImpactReplay[] {
  return environments.flatMap(({ environment, before, after }) => {
    const [oldFlags, newFlags] = [before, after].map((it) => compileFlags(it.flags, it.segments, { regex }));
    const [oldIndex, newIndex] = [new TargetingIndex(before), new TargetingIndex(after)];
    return keys.map((key) => {
      const [old, changed] = [oldIndex.neededFor([key]), newIndex.neededFor([key])];
      const used = usedBy(old, changed);
      const isSame = JSON.stringify(old) === JSON.stringify(changed);
      const tally = new TransitionTally();
      const compare = (context: Context) =>
        tally.numberOf(
          oldFlags!.evaluate(key, context)?.value ?? null,
          newFlags!.evaluate(key, context)?.value ?? null,
        );
      const numberOf = oncePerContext(used, compare);
      return {
        kind: 'flags',
        used,
        add(sessions, at) {
          if (!isSame) tally.add(numberOf(sessions, at), sessions.sessionId(at));
        },
        endVisitor: () => tally.endVisitor(),
        finish(impact, unknown) {
          const flag = impact.flags?.find((each) => each.flagKey === key);
          const { changed } = tally;
          flag?.environments.push({
            environment,
            changed,
            transitions: tally.transitions(),
            unknown: unknown(used),
          });
        },
      };
    });
  });
}

/** Sessions with the same context have the same result, if it does not depend on ids. */
function oncePerContext<T>(
  used: UsedAttributes,
  compare: (context: Context) => T,
): (sessions: ImpactSessions, at: number) => T {
  if (dependsOnIds(used)) return (sessions, at) => compare(sessions.wholeContext(at));
  const known = new Map<number, T>();
  return (sessions, at) => {
    const index = sessions.contextIndex(at);
    if (!known.has(index)) known.set(index, compare(sessions.sharedContext(at)));
    return known.get(index)!;
  };
}

const BEFORE = 1;
const AFTER = 2;

function segmentReplay(
  id: string,
  { before, after }: NonNullable<ImpactScope['segment']>,
  regex: RegexCompiler,
): ImpactReplay {
  // As a flag would use them.
  const used = usedBy({ flags: [], segments: before }, { flags: [], segments: after });
  const [isBefore, isAfter] = [createMembership(before, regex), createMembership(after, regex)];
  const bitsOf = oncePerContext(used, (context) => {
    return (isBefore(id, context) ? BEFORE : 0) | (isAfter(id, context) ? AFTER : 0);
  });
  const counts = { before: 0, after: 0, entering: 0, leaving: 0 };
  const examples = { matching: [] as string[], entering: [] as string[], leaving: [] as string[] };
  let [bits, sessionId] = [0, ''];
  const count = (name: keyof typeof counts, list?: string[]) => {
    counts[name]++;
    if (list && list.length < MAX_IMPACT_EXAMPLES && !isCookieless(sessionId)) list.push(sessionId);
  };
  return {
    kind: 'flags',
    used,
    add(sessions, at) {
      const own = bitsOf(sessions, at);
      if ((own | bits) === bits) return;
      bits |= own;
      sessionId = sessions.sessionId(at);
    },
    endVisitor() {
      if (bits & BEFORE) count('before');
      if (bits & AFTER) count('after', examples.matching);
      if (bits === AFTER) count('entering', examples.entering);
      if (bits === BEFORE) count('leaving', examples.leaving);
      bits = 0;
      // What members get is up to the flags that use the segment.
      return false;
    },
    finish(impact, unknown) {
      impact.segment = { ...counts, examples, unknown: unknown(used) };
    },
  };
}

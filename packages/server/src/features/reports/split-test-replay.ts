import type { Impact, SplitTestImpact } from '@switchyard/core/api/impact';
import { assign } from '@switchyard/core/evaluation/assignment';
import type { ContextTest } from '@switchyard/core/evaluation/conditions';
import type { RegexCompiler } from '@switchyard/core/evaluation/operators';
import { createAudienceTest } from '@switchyard/core/evaluation/segments';
import { attributesOfAudience, type UsedAttributes } from '@switchyard/core/evaluation/used-attributes';
import type { ReplayedTest, TestChange } from './impact-scope.ts';
import { oncePerPage } from './impact-sessions.ts';
import { TransitionTally } from './impact-tally.ts';
import type { ImpactReplay } from './replay.ts';

interface Ids {
  visitorId: string;
  /** Null if the visitor is not known to be a user. */
  userId: string | null;
}

const BEFORE = 1;
const AFTER = 2;

/**
 * Which variations visitors get. They take part if any of their sessions matches the audience, because they stay in the
 * test after that.
 */
export function splitTestReplay(
  { before, after }: TestChange,
  regex: RegexCompiler,
  report: (impact: Impact, own: SplitTestImpact) => void,
): ImpactReplay {
  const tally = new TransitionTally();
  const ifRunning = new Map(after?.definition.variations.map(({ key }) => [key, 0]));
  const used = usedByAudiences(before, after);
  const [isBefore, isAfter] = [audienceTestOf(before, regex), audienceTestOf(after, regex)];
  const bitsOf = oncePerPage(
    used,
    (context) => (isBefore(context) ? BEFORE : 0) | (isAfter(context) ? AFTER : 0),
  );
  const ids: Ids = { visitorId: '', userId: null };
  let sessionId: string | undefined;
  let bits = 0;
  return {
    kind: 'audiences',
    used,
    add(sessions, at) {
      // Any session may say who the visitor is.
      ids.userId ??= sessions.userId(at);
      const own = bitsOf(sessions, at);
      if (sessionId !== undefined && (own | bits) === bits) return;
      bits |= own;
      ids.visitorId = sessions.visitorId(at);
      sessionId = sessions.sessionId(at);
    },
    endVisitor() {
      if (sessionId !== undefined) {
        const [wasInside, isInside] = [(bits & BEFORE) > 0, (bits & AFTER) > 0];
        const assigned = after && isInside && assignedTo(after, ids);
        if (assigned) ifRunning.set(assigned, ifRunning.get(assigned)! + 1);
        tally.add(tally.numberOf(served(before, ids, wasInside), served(after, ids, isInside)), sessionId);
      }
      ids.userId = null;
      sessionId = undefined;
      bits = 0;
      return tally.endVisitor();
    },
    finish(impact, unknown) {
      report(impact, {
        changed: tally.changed,
        // Results are keys of variations.
        transitions: tally.transitions() as SplitTestImpact['transitions'],
        ifRunning: [...ifRunning].map(([variation, visitors]) => ({ variation, visitors })),
        unknown: unknown(used),
      });
    },
  };
}

function usedByAudiences(...tests: readonly (ReplayedTest | undefined)[]): UsedAttributes {
  const audiences = tests.flatMap((test) => test?.definition.audience ?? []);
  const named = audiences.flatMap((audience) => [...attributesOfAudience(audience).named]);
  return { named: new Set(named), usesUnit: false };
}

function audienceTestOf(test: ReplayedTest | undefined, regex: RegexCompiler): ContextTest {
  const audience = test?.definition.audience;
  return audience === undefined ? () => true : createAudienceTest(audience, audience.segments, regex);
}

function served(test: ReplayedTest | undefined, ids: Ids, isInside: boolean): string | null {
  if (test === undefined || test.serving === 'nothing') return null;
  if (test.serving === 'winner') return test.winner;
  return isInside ? assignedTo(test, ids) : null;
}

function assignedTo({ definition }: ReplayedTest, { visitorId, userId }: Ids): string | null {
  const { holdout, exclusion, ...test } = definition;
  const assignable = { ...test, ...(exclusion && { exclusion }) };
  const { included, index } = assign(assignable, visitorId, holdout ?? undefined, userId);
  return included ? definition.variations[index]!.key : null;
}

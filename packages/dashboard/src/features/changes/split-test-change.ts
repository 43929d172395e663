import type { SplitTestImpact, VariationTransition } from '@switchyard/core/api/impact';
import { servingOf } from '@switchyard/core/lifecycle/serving';
import type { SplitTest } from '../configuration/configuration-types.ts';

type Move = VariationTransition & { from: string; to: string };

/** What visitors see of a test after a change, compared with today. */
export interface SplitTestChange {
  /** Visitors who see something else. */
  changed: number;
  moves: Move[];
  /** What everybody sees today, if the test is not served. */
  today: string | undefined;
  /** How the visitors are divided, unless the change is about its status. */
  divided: SplitTestImpact['ifRunning'];
}

/** Who gets nothing of a test sees the page as it is, which is the control: the first variation. */
export function splitTestChange(
  impact: SplitTestImpact,
  definition: Partial<SplitTest> | null,
  stored: SplitTest | undefined,
): SplitTestChange {
  const control = (definition ?? stored)?.variations?.[0]?.key ?? 'control';
  const all = impact.transitions.map((each) => ({
    ...each,
    from: each.from ?? control,
    to: each.to ?? control,
  }));
  const same = all.filter(({ from, to }) => from === to);
  const isServed = stored !== undefined && servingOf(stored) !== 'nothing';
  const isEdit = (definition?.status ?? stored?.status) === stored?.status;
  return {
    changed: impact.changed - same.reduce((sum, { visitors }) => sum + visitors, 0),
    moves: merged(all.filter(({ from, to }) => from !== to)),
    today: isServed ? undefined : control,
    divided: isEdit ? impact.ifRunning : [],
  };
}

/** Visitors who did not take part and visitors of the control see the same. */
function merged(moves: readonly Move[]): Move[] {
  const byEnds = new Map<string, Move>();
  for (const { from, to, visitors, examples } of moves) {
    const key = JSON.stringify([from, to]);
    const known = byEnds.get(key);
    byEnds.set(key, {
      from,
      to,
      visitors: visitors + (known?.visitors ?? 0),
      examples: [...(known?.examples ?? []), ...examples].slice(0, MAX_EXAMPLES),
    });
  }
  return [...byEnds.values()];
}

const MAX_EXAMPLES = 5;

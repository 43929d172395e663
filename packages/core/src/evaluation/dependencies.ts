/** Nesting is evaluated by recursion: deeper than anyone needs, far from the end of the stack. */
export const MAX_NESTING = 50;

export interface Dependencies {
  /** Every name, those it depends on first. */
  readonly order: readonly string[];
  /** Names that cannot be resolved, and why: part of a cycle, or nested too deeply. */
  readonly refused: ReadonlyMap<string, string>;
}

interface Visit {
  readonly name: string;
  readonly index: number;
  low: number;
  next: number;
}

/**
 * Puts names in the order of their dependencies and finds cycles (Tarjan's strongly connected components,
 * without recursion, so that a long chain cannot exhaust the stack). Unknown names are left out.
 */
export function orderDependencies(edges: ReadonlyMap<string, readonly string[]>): Dependencies {
  const visits = new Map<string, Visit>();
  const stack: string[] = [];
  const open = new Set<string>();
  const order: string[] = [];
  const refused = new Map<string, string>();
  const depths = new Map<string, number>();

  const close = (root: string): void => {
    const members = stack.splice(stack.lastIndexOf(root));
    const targets = edges.get(root) ?? [];
    const depth = 1 + targets.reduce((most, target) => Math.max(most, depths.get(target) ?? 0), 0);
    const cyclic = members.length > 1 || targets.includes(root);
    const named = members.length > 5 ? [...members.slice(0, 5), '…'] : members;
    for (const name of members) {
      open.delete(name);
      order.push(name);
      depths.set(name, depth);
      if (cyclic) refused.set(name, `is part of a cycle: ${named.join(', ')}`);
      else if (depth > MAX_NESTING) refused.set(name, `is nested deeper than ${MAX_NESTING} levels`);
    }
  };

  const enter = (name: string): Visit => {
    const visit = { name, index: visits.size, low: visits.size, next: 0 };
    visits.set(name, visit);
    stack.push(name);
    open.add(name);
    return visit;
  };

  for (const root of edges.keys()) {
    if (visits.has(root)) continue;
    const path = [enter(root)];
    for (let visit = path.at(-1); visit; visit = path.at(-1)) {
      const target = edges.get(visit.name)?.[visit.next++];
      if (target === undefined) {
        path.pop();
        const parent = path.at(-1);
        if (parent) parent.low = Math.min(parent.low, visit.low);
        if (visit.low === visit.index) close(visit.name);
      } else if (edges.has(target)) {
        const seen = visits.get(target);
        if (!seen) path.push(enter(target));
        else if (open.has(target)) visit.low = Math.min(visit.low, seen.index);
      }
    }
  }
  return { order, refused };
}

/** Evaluation is recursive: this is more than anyone needs, and far from overflowing the stack. */
export const MAX_NESTING = 50;

export interface Dependencies {
  /** All names, dependencies first. */
  readonly order: readonly string[];
  /** Names that are part of a cycle or nested too deeply, with the reason. */
  readonly unresolvable: ReadonlyMap<string, string>;
}

interface Visit {
  readonly name: string;
  readonly index: number;
  low: number;
  next: number;
}

/**
 * Sorts names topologically and finds cycles (Tarjan's strongly connected components, without recursion, so that a
 * long chain cannot overflow the stack). Ignores unknown names.
 */
export function orderDependencies(edges: ReadonlyMap<string, readonly string[]>): Dependencies {
  // The usual case, and this runs after every change of a flag.
  const isFlat = [...edges.values()].every((targets) => targets.length === 0);
  if (isFlat) return { order: [...edges.keys()], unresolvable: new Map() };
  const visits = new Map<string, Visit>();
  const stack: string[] = [];
  const open = new Set<string>();
  const order: string[] = [];
  const unresolvable = new Map<string, string>();
  const depths = new Map<string, number>();

  const close = (root: string): void => {
    const members = stack.splice(stack.lastIndexOf(root));
    const targets = edges.get(root) ?? [];
    const depth = 1 + targets.reduce((max, target) => Math.max(max, depths.get(target) ?? 0), 0);
    const cyclic = members.length > 1 || targets.includes(root);
    const shown = members.length > 5 ? [...members.slice(0, 5), '…'] : members;
    for (const name of members) {
      open.delete(name);
      order.push(name);
      depths.set(name, depth);
      if (cyclic) unresolvable.set(name, `is part of a cycle: ${shown.join(', ')}`);
      else if (depth > MAX_NESTING) unresolvable.set(name, `is nested deeper than ${MAX_NESTING} levels`);
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
  return { order, unresolvable };
}

/** The names, and everything they lead to, directly or not. */
export function reachableFrom(
  names: Iterable<string>,
  targetsOf: (name: string) => Iterable<string>,
): Set<string> {
  const found = new Set(names);
  // Names added during the loop are visited too.
  for (const name of found) for (const target of targetsOf(name)) found.add(target);
  return found;
}

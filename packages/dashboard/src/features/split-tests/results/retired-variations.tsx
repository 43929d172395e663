import { createContext, useContext } from 'react';

/** Keys of the variations that are retired in the phase that is shown. */
export const RetiredVariations = createContext<ReadonlySet<string>>(new Set());

/** The key of a variation, marked if it is retired. */
export function VariationName({ name }: { name: string }) {
  return (
    <>
      {name} {useContext(RetiredVariations).has(name) && <span className="badge">retired</span>}
    </>
  );
}

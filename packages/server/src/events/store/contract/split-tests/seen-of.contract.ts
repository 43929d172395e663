import type { EventStore } from '../../event-store.ts';
import { splitTestQuery } from '../sample-requests.contract.ts';

/** Exposures and visitors of each variation over all time. */
export async function seenOf(store: EventStore, propertyId: string, splitTestKey: string, keys = ['a', 'b']) {
  const { exposures, groups } = await store.splitTestCounts(
    splitTestQuery({ propertyId, splitTestKey, variationKeys: keys }),
  );
  return keys.flatMap((variationKey) => {
    const shown = exposures.filter((it) => it.variationKey === variationKey);
    if (shown.length === 0) return [];
    const visitors = groups.find((it) => it.variationKey === variationKey)?.visitors ?? 0;
    return [
      counts(
        variationKey,
        shown.reduce((sum, it) => sum + it.exposures, 0),
        visitors,
      ),
    ];
  });
}

export const counts = (variationKey: string, exposures: number, visitors: number) => ({
  variationKey,
  exposures,
  visitors,
});

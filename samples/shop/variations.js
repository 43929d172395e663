/** Equal weights. */
export const variations = (...pairs) =>
  pairs.map(([key, value]) => ({ key, weight: 100 / pairs.length, value }));

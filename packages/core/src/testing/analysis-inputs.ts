/** An input of an analysis that is fine. */
export const MEAN = {
  method: 'sequential',
  metric: 'mean',
  control: 'a',
  variations: [
    { key: 'a', n: 3, sum: 6, sumSquares: 14 },
    { key: 'b', n: 3, sum: -1, sumSquares: 9 },
  ],
};

export const PLANNED = { ...MEAN, method: 'group-sequential', plannedVisitors: 12 };

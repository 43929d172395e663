import { MIN_CONVERSIONS } from '../../packages/core/dist/stats/report/health.js';
import { checkGuarantee } from './guarantees.js';
import { options, random } from './random.js';
import { compare, isSignificant, percent, Sums } from './shop.js';

const DAYS = 56;

/** Daily analyses with the sequential method and rare conversions: false alarms without and with the health rule. */
function sparseRows() {
  return [
    [30, 0.03, 0.5],
    [30, 0.1, 0.1],
    [100, 0.03, 0.1],
  ].map(([visitors, rate, share]) => {
    let [alone, healthy] = [0, 0];
    for (let test = 0; test < options.tests; test++) {
      const [control, variation] = [new Sums(), new Sums()];
      let [alarm, trusted] = [false, false];
      for (let day = 1; day <= DAYS; day++) {
        for (let i = 0; i < visitors; i++)
          (random() < share ? variation : control).add(random() < rate ? 1 : 0);
        if (!isSignificant(compare({ method: 'sequential', metric: 'proportion' }, control, variation)))
          continue;
        alarm = true;
        // As many as are expected in the smaller variation.
        trusted ||= (control.sum + variation.sum) * Math.min(share, 1 - share) >= MIN_CONVERSIONS;
      }
      alone += Number(alarm) / options.tests;
      healthy += Number(trusted) / options.tests;
    }
    checkGuarantee('rare conversions, false alarms of healthy tests', healthy, 0, 0.05);
    const split = `${Math.round(100 * (1 - share))}:${Math.round(100 * share)}`;
    return [String(visitors), `${100 * rate} %`, split, percent(alone), percent(healthy)];
  });
}

export const sections = [
  {
    title: `Rare conversions: sequential, looking every day for ${DAYS} days`,
    header: [
      'visitors a day',
      'conversion rate',
      'split',
      'false alarms',
      'with 25 conversions expected in each',
    ],
    rows: sparseRows,
  },
];

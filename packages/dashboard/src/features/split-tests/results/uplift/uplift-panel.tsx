import { displayZone } from '../../../../ui/format/display-zone.ts';
import { formatTime } from '../../../../ui/format/format.ts';
import { Loaded, Panel } from '../../../../ui/page/panel.tsx';
import type { ReportedTest } from '../../reported-test.ts';
import { useComparedVariation } from '../use-compared-variation.ts';
import { useResults } from '../use-results.ts';
import { VariationSelect } from '../variation-select.tsx';
import { UpliftChart } from './uplift-chart.tsx';

const HEIGHT = 220;

// Below the first screen, and large.

/** How the uplift of the primary goal developed, and how its interval became narrower. */
export function UpliftPanel({ test }: { test: ReportedTest }) {
  const query = useResults(test, { include: 'series' });
  const compared = useComparedVariation();
  const variation = query.data && compared(query.data);
  return (
    <Panel
      title="Uplift over time"
      hint={`All visitors until the end of each day (${displayZone().name}), compared with the control.${
        query.data ? ` As of ${formatTime(query.data.asOf)}.` : ''
      }`}
      actions={<VariationSelect test={test} value={variation} />}
    >
      <Loaded query={query} what="the uplift over time" height={HEIGHT}>
        {(results) => <UpliftChart results={results} variation={variation} />}
      </Loaded>
    </Panel>
  );
}

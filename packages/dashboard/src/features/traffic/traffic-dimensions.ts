import type { TrafficDimension } from '@switchyard/core/api/traffic';
import { countryName } from '../../ui/format/country-name.ts';

export interface DimensionGroup {
  title: string;
  dimensions: readonly TrafficDimension[];
}

/** One panel each, with a tab per dimension. */
export const DIMENSION_GROUPS: readonly DimensionGroup[] = [
  { title: 'Pages', dimensions: ['page', 'entryPage', 'exitPage'] },
  {
    title: 'Sources',
    dimensions: ['referrer', 'utmSource', 'utmMedium', 'utmCampaign', 'utmContent', 'utmTerm'],
  },
  { title: 'Countries', dimensions: ['country'] },
  { title: 'Devices', dimensions: ['device', 'browser', 'os'] },
];

export const DIMENSION_LABELS: Record<TrafficDimension, string> = {
  page: 'Page',
  entryPage: 'Entry page',
  exitPage: 'Exit page',
  referrer: 'Referrer',
  utmSource: 'UTM source',
  utmMedium: 'UTM medium',
  utmCampaign: 'UTM campaign',
  utmContent: 'UTM content',
  utmTerm: 'UTM term',
  country: 'Country',
  device: 'Device',
  browser: 'Browser',
  os: 'System',
};

/** As a filter: sessions without a value. */
export const NO_VALUE = '(none)';

/** A value of a dimension as people read it. */
export function dimensionValue(dimension: TrafficDimension, value: string | null): string {
  if (value === null || value === NO_VALUE) return dimension === 'referrer' ? 'Direct or unknown' : '(none)';
  return dimension === 'country' ? countryName(value) : value;
}

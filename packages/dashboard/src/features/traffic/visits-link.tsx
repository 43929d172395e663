import type { TrafficDimension } from '@switchyard/core/api/traffic';
import { useUrlState } from '../../ui/hooks/use-url-state.ts';
import { PropertyLink } from '../configuration/property-link.tsx';
import { DIMENSION_LABELS } from './traffic-dimensions.ts';
import type { TrafficFilters } from './traffic-query.ts';

const PERIOD = { period: '', from: '', to: '' } as const;
/** What the list of sessions can be filtered by, too. */
const SHARED: readonly string[] = ['page', 'country', 'device', 'browser', 'os', 'bots'];

/** To the sessions behind the figures, if their list can show exactly those. */
export function VisitsLink({ filters }: { filters: TrafficFilters }) {
  const [period] = useUrlState(PERIOD);
  const others = Object.keys(filters).filter((name) => !SHARED.includes(name)) as TrafficDimension[];
  if (others.length > 0) {
    const labels = others.map((name) => DIMENSION_LABELS[name]).join(', ');
    return `The list of sessions cannot be filtered by ${labels}`;
  }
  const chosen = Object.entries(period).filter(([, value]) => value !== '');
  return (
    <PropertyLink to="sessions" search={{ ...Object.fromEntries(chosen), ...filters }}>
      Show these visits
    </PropertyLink>
  );
}

import { messageOf } from '../../api.ts';
import { formatDateTime, plural } from '../../ui/format/format.ts';
import { PropertyLink } from '../configuration/property-link.tsx';
import classes from './marker-list.module.css';
import type { Marker } from './use-goal-markers.ts';

/** The markers of a chart as a list. */
export function MarkerList({ markers, error }: { markers: readonly Marker[]; error: Error | null }) {
  return (
    <>
      {error && <p className="warn">Changes of flags are not marked: {messageOf(error)}</p>}
      {markers.length > 0 && (
        <details className={classes.changes}>
          <summary>{plural(markers.length, 'change')} of split tests and flags in this period</summary>
          <ul className="bullets">
            {markers.map(({ at, label, to, search }) => (
              <li key={`${at} ${label}`}>
                <PropertyLink to={to} {...(search && { search })}>
                  {label}
                </PropertyLink>{' '}
                <span className="dimmed">{formatDateTime(at)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

import type { SessionsPage } from '@switchyard/core/api/sessions';
import { countryName } from '../../ui/format/country-name.ts';
import { formatDateTime, formatDuration, formatMoney, plural } from '../../ui/format/format.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import { findReported } from '../split-tests/reported-tests.ts';
import { pagePath } from './page-path.ts';
import classes from './session-list.module.css';

export type Session = SessionsPage['sessions'][number];

const MAX_MARKS = 6;

/** One session of a list: when, where it went, and what it saw and did. */
export function SessionRow({ session }: { session: Session }) {
  const { entryUrl, exitUrl, visitorId, userId } = session;
  const marks = useMarks(session);
  return (
    <li className={classes.row}>
      <PropertyLink to={`sessions/${encodeURIComponent(session.sessionId)}`}>
        {formatDateTime(session.startedAt)}
      </PropertyLink>
      <div className={classes.main}>
        <div className={classes.path}>
          {entryUrl === null ? <span className="dimmed">No page view</span> : pagePath(entryUrl)}
          {exitUrl !== null && exitUrl !== entryUrl && ` → ${pagePath(exitUrl)}`}
        </div>
        {marks.length > 0 && (
          <div className={classes.marks}>
            {marks.slice(0, MAX_MARKS).map((mark) => (
              <span key={mark} className={classes.mark}>
                {mark}
              </span>
            ))}
            {marks.length > MAX_MARKS && (
              <span className={classes.facts}>{marks.length - MAX_MARKS} more</span>
            )}
          </div>
        )}
      </div>
      <div className={classes.facts}>
        <div>
          {[session.country && countryName(session.country), session.device, session.browser]
            .filter(Boolean)
            .join(' · ')}
          {session.bot && ' · bot'}
        </div>
        <div>
          {plural(session.pageviews, 'page')}, {formatDuration(session.durationMs / 1000)}
        </div>
        {visitorId !== null && (
          <PropertyLink to={`visitors/${encodeURIComponent(visitorId)}`}>
            {userId ?? shorten(visitorId)}
          </PropertyLink>
        )}
      </div>
    </li>
  );
}

const shorten = (id: string) => (id.length > 20 ? `${id.slice(0, 18)}…` : id);

/** Goals first, then feedback and exposures. */
function useMarks({ goals, feedback, exposures }: Session): string[] {
  const { configuration } = useProperty();
  const currency = configuration.property.displayCurrency ?? 'USD';
  const name = (goalId: string) => configuration.goals.find(({ id }) => id === goalId)?.name ?? goalId;
  return [
    ...goals.map(({ goalId, amount }) =>
      amount === 0 ? name(goalId) : `${name(goalId)} ${formatMoney(amount, currency)}`,
    ),
    ...(feedback > 0 ? [plural(feedback, 'feedback', 'feedback entries')] : []),
    ...exposures.map(
      ({ splitTestKey, variationKey }) =>
        `${findReported(configuration, splitTestKey)?.measuredRule?.flagKey ?? splitTestKey}: ${variationKey}`,
    ),
  ];
}

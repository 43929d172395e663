import { propertyPath } from '../../api.ts';
import { RelativeTime } from '../../ui/format/relative-time.tsx';
import { ReasonButton } from '../../ui/page/reason-button.tsx';
import { useReview } from '../changes/review-context.tsx';
import { summaryLines } from '../changes/summary-lines.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { clockNote, type HistoryEntry, VIA } from './history-words.ts';
import classes from './item-history.module.css';

/** Who changed what, when and why. */
export function ItemHistoryEntry({ entry, isNewest }: { entry: HistoryEntry; isNewest: boolean }) {
  const { at, actor, via, comment, version } = entry;
  return (
    <li className={classes.entry}>
      <div className={classes.text}>
        <p className={classes.head}>
          <strong>{actor.name}</strong> <span className="dimmed">{VIA[via]}</span>{' '}
          <span className="dimmed">
            · <RelativeTime at={at} />
            {clockNote(entry)} · version {version}
          </span>
        </p>
        <ul className="bullets">
          {summaryOf(entry).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
        {comment && <p className={classes.comment}>“{comment}”</p>}
      </div>
      {isNewest ? <span className="dimmed">Current version</span> : <RestoreButton entry={entry} />}
    </li>
  );
}

function summaryOf({ summary, entity, action }: HistoryEntry): string[] {
  if (summary.length === 0) return [action === 'update' ? 'No visible change' : action];
  return summaryLines(summary, entity);
}

function RestoreButton({ entry: { id, version, action, entity } }: { entry: HistoryEntry }) {
  const { propertyId, missingRole } = useProperty();
  const review = useReview();
  // The state after a deletion is no item at all.
  if (action === 'delete') return null;
  const reason = missingRole('editor');
  const restore = () =>
    review({
      title: `Restore version ${version} of ${entity.key}`,
      confirmLabel: 'Restore',
      method: 'POST',
      path: propertyPath(propertyId, 'history', id, 'restore'),
      body: { state: 'after' },
    });
  return (
    <ReasonButton
      size="compact-xs"
      variant="default"
      reason={reason}
      label={`Restore version ${version}`}
      onClick={() => void restore()}
    >
      Restore
    </ReasonButton>
  );
}

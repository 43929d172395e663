import { formatTime } from '../../ui/format/format.ts';
import { ExpandableEntry } from '../../ui/lists/expandable-entry.tsx';
import { summaryLines } from '../changes/summary-lines.ts';
import classes from './change-list.module.css';
import { DifferenceTable } from './difference-table.tsx';
import { clockNote, ENTITY_NOUNS, type HistoryEntry, nameOf, VIA, verbOf } from './history-words.ts';
import { ItemLink } from './item-link.tsx';
import { RestoreActions } from './restore-actions.tsx';

const MAX_LINES = 3;

interface ChangeEntryProps {
  entry: HistoryEntry;
  memberNames: ReadonlyMap<string, string>;
  onFilter: (filters: { entity?: string; key?: string; actor?: string }) => void;
}

/** One change: who, what, when and why; opens to the values before and after. */
export function ChangeEntry({ entry, memberNames, onFilter }: ChangeEntryProps) {
  const { at, actor, via, entity, comment, action, changes, version } = entry;
  const name = nameOf(entry, memberNames);
  const noun = ENTITY_NOUNS[entity.type] ?? entity.type;
  const lines = action === 'update' ? summaryLines(entry.summary, entity) : [];
  return (
    <ExpandableEntry
      label={`Details of the change of ${noun} ${name}, version ${version}`}
      actions={(isOpen) => <RestoreActions entry={entry} name={name} isOpen={isOpen} />}
      details={
        <>
          <DifferenceTable
            changes={changes}
            side={action === 'create' ? 'after' : action === 'delete' ? 'before' : undefined}
          />
          <p className="dimmed">
            Version {version}
            {(entity.type === 'member' || entity.type === 'key') && ` of ${entity.key}`} ·{' '}
            <button
              type="button"
              className="link"
              onClick={() => onFilter({ entity: entity.type, key: entity.key })}
            >
              All changes of this {noun}
            </button>
          </p>
        </>
      }
    >
      {(isOpen) => (
        <>
          <p>
            <button type="button" className="link" onClick={() => onFilter({ actor: actor.name })}>
              {actor.name}
            </button>{' '}
            {verbOf(entry)} {entity.type === 'property' ? propertyWords(action) : `${noun} `}
            {entity.type !== 'property' && <ItemLink entity={entity} name={name} />}{' '}
            <span className="dimmed">
              {VIA[via]} at {formatTime(at)}
              {clockNote(entry)}
            </span>
          </p>
          <SummaryLines lines={lines} max={isOpen ? lines.length : MAX_LINES} />
          {comment && <p className={`dimmed ${classes.comment}`}>“{comment}”</p>}
          {entry.redacted && <p className="dimmed">Some text was redacted.</p>}
        </>
      )}
    </ExpandableEntry>
  );
}

function SummaryLines({ lines, max }: { lines: readonly string[]; max: number }) {
  if (lines.length === 0) return null;
  return (
    <ul className="bullets">
      {lines.slice(0, max).map((line) => (
        <li key={line}>{line}</li>
      ))}
      {lines.length > max && <li className="dimmed">and {lines.length - max} more</li>}
    </ul>
  );
}

const propertyWords = (action: HistoryEntry['action']) =>
  action === 'update' ? 'the settings' : 'the property';

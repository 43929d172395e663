import { ActionIcon } from '@mantine/core';
import { useId, useState } from 'react';
import { formatTime } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { summaryLines } from '../changes/summary-lines.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { PropertyLink } from '../configuration/property-link.tsx';
import classes from './change-list.module.css';
import { DifferenceTable } from './difference-table.tsx';
import { ENTITY_NOUNS, type HistoryEntry, nameOf, pageOf, VIA, verbOf } from './history-words.ts';
import { RestoreActions } from './restore-actions.tsx';

const MAX_LINES = 3;

interface ChangeEntryProps {
  entry: HistoryEntry;
  memberNames: ReadonlyMap<string, string>;
  onFilter: (filters: { entity?: string; key?: string; actor?: string }) => void;
}

/** One change: who, what, when and why; opens to the values before and after. */
export function ChangeEntry({ entry, memberNames, onFilter }: ChangeEntryProps) {
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  const { at, actor, via, entity, comment, action, changes, version } = entry;
  const name = nameOf(entry, memberNames);
  const noun = ENTITY_NOUNS[entity.type] ?? entity.type;
  const lines = action === 'update' ? summaryLines(entry.summary, entity) : [];
  const shown = isOpen ? lines : lines.slice(0, MAX_LINES);
  return (
    <li className={classes.entry}>
      <div className={classes.head}>
        <ActionIcon
          className={classes.expand}
          variant="subtle"
          color="gray"
          size="sm"
          aria-expanded={isOpen}
          aria-controls={detailsId}
          aria-label={`Details of the change of ${noun} ${name}, version ${version}`}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="chevron" size={14} />
        </ActionIcon>
        <div className={classes.title}>
          <p>
            <button type="button" className="link" onClick={() => onFilter({ actor: actor.name })}>
              {actor.name}
            </button>{' '}
            {verbOf(entry)} {entity.type === 'property' ? propertyWords(action) : `${noun} `}
            {entity.type !== 'property' && <ItemName entity={entity} name={name} />}{' '}
            <span className="dimmed">
              {VIA[via]} at {formatTime(at)}
            </span>
          </p>
          {shown.length > 0 && (
            <ul className="bullets">
              {shown.map((line) => (
                <li key={line}>{line}</li>
              ))}
              {shown.length < lines.length && (
                <li className="dimmed">and {lines.length - shown.length} more</li>
              )}
            </ul>
          )}
          {comment && <p className={`dimmed ${classes.comment}`}>“{comment}”</p>}
        </div>
        <RestoreActions entry={entry} name={name} isOpen={isOpen} />
      </div>
      <div id={detailsId} className={isOpen ? classes.details : undefined}>
        {isOpen && (
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
        )}
      </div>
    </li>
  );
}

const propertyWords = (action: HistoryEntry['action']) =>
  action === 'update' ? 'the settings' : 'the property';

/** A link as long as the item exists. */
function ItemName({ entity, name }: { entity: HistoryEntry['entity']; name: string }) {
  const page = pageOf(useProperty().configuration, entity);
  if (page === undefined) return <span className={classes.name}>{name}</span>;
  const [to, search] = page;
  return (
    <PropertyLink to={to} {...(search && { search })} className={classes.name}>
      {name}
    </PropertyLink>
  );
}

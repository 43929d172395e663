import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, useLayoutEffect, useRef, useState } from 'react';
import type { Flag } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { FlagRow } from './flag-row.tsx';
import classes from './flag-table.module.css';
import type { EnvironmentUsage } from './use-flag-usage.ts';
import type { LastChanges } from './use-last-changes.ts';

interface FlagTableProps {
  flags: readonly Flag[];
  usage: ReadonlyMap<string, readonly EnvironmentUsage[]>;
  lastChanges: LastChanges;
  onMessage: (message: string) => void;
}

/** A usual one; rows are measured. */
const ROW_HEIGHT = 76;

/** Flags with their environments side by side. Only the rows in view are in the document. */
export function FlagTable({ flags, usage, lastChanges, onMessage }: FlagTableProps) {
  const { environments } = useProperty().configuration;
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(body.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: flags.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 3,
    scrollMargin: top,
    getItemKey: (index) => flags[index]!.key,
  });
  return (
    <div className={classes.scroll}>
      {/* A real table cannot have rows at a position; the roles make it one for assistive technology. */}
      {/* biome-ignore-start lint/a11y/useSemanticElements: see above */}
      {/* biome-ignore-start lint/a11y/useFocusableInteractive: rows are read, their links and switches have the focus */}
      <div
        role="table"
        aria-label="Flags"
        aria-rowcount={flags.length + 1}
        className={classes.table}
        style={{ '--environments': environments.length } as CSSProperties}
      >
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className={classes.head}>
            <span role="columnheader">Flag</span>
            {environments.map(({ id, name }) => (
              <span role="columnheader" key={id}>
                {name}
              </span>
            ))}
            <span role="columnheader">Last change</span>
          </div>
        </div>
        <div role="rowgroup" ref={body} className={classes.body} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              ref={rows.measureElement}
              data-index={index}
              role="row"
              aria-rowindex={index + 2}
              className={classes.row}
              style={{ transform: `translateY(${start - top}px)` }}
            >
              <FlagRow
                flag={flags[index]!}
                usage={usage.get(flags[index]!.key)}
                lastChanges={lastChanges}
                onMessage={onMessage}
              />
            </div>
          ))}
        </div>
      </div>
      {/* biome-ignore-end lint/a11y/useFocusableInteractive: see above */}
      {/* biome-ignore-end lint/a11y/useSemanticElements: see above */}
    </div>
  );
}

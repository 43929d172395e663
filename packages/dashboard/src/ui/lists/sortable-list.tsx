import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from '../page/icon.tsx';
import classes from './sortable-list.module.css';

interface SortableListProps<T> {
  items: readonly T[];
  idOf: (item: T) => string;
  onMove: (from: number, to: number) => void;
  /** `handle` is what the pointer drags; the keyboard needs buttons. */
  renderItem: (item: T, index: number, handle: ReactNode) => ReactNode;
}

/** A vertical list that is reordered by dragging. */
export function SortableList<T>({ items, idOf, onMove, renderItem }: SortableListProps<T>) {
  const { list, drag, handleEvents } = useDrag(onMove);
  const stateOf = (index: number) => {
    if (index === drag?.from) return 'dragged';
    if (index !== drag?.to) return undefined;
    return drag.to < drag.from ? 'before' : 'after';
  };
  return (
    <ol ref={list} className={classes.list}>
      {items.map((item, index) => (
        <li
          key={idOf(item)}
          className={classes.item}
          data-drag={stateOf(index)}
          style={index === drag?.from ? { transform: `translateY(${drag.distance}px)` } : undefined}
        >
          {renderItem(
            item,
            index,
            // The buttons to move up and down do the same for the keyboard and assistive technology.
            <span className={classes.handle} aria-hidden="true" {...handleEvents(index)}>
              <Icon name="drag" />
            </span>,
          )}
        </li>
      ))}
    </ol>
  );
}

interface Drag {
  from: number;
  to: number;
  /** How far the item was dragged, in pixels. */
  distance: number;
}

function useDrag(onMove: (from: number, to: number) => void) {
  const list = useRef<HTMLOListElement>(null);
  const start = useRef({ y: 0, centers: [] as number[] });
  const [drag, setDrag] = useState<Drag | null>(null);
  useEscape(drag !== null, () => setDrag(null));
  // Relative to the list, because the page may scroll meanwhile.
  const top = () => list.current?.getBoundingClientRect().top ?? 0;

  const handleEvents = (index: number) => ({
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      // No text is selected.
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      const items = [...(list.current?.children ?? [])].map((item) => item.getBoundingClientRect());
      start.current = {
        y: event.clientY - top(),
        centers: items.map((item) => item.top + item.height / 2 - top()),
      };
      setDrag({ from: index, to: index, distance: 0 });
    },
    onPointerMove: (event: PointerEvent) => {
      if (drag === null) return;
      const { y, centers } = start.current;
      const distance = event.clientY - top() - y;
      const to = indexOfNearest(centers, (centers[drag.from] ?? 0) + distance);
      list.current?.children[to]?.scrollIntoView({ block: 'nearest' });
      setDrag({ ...drag, to, distance });
    },
    onPointerUp: () => {
      if (drag !== null && drag.to !== drag.from) onMove(drag.from, drag.to);
      setDrag(null);
    },
    onPointerCancel: () => setDrag(null),
  });
  return { list, drag, handleEvents };
}

function useEscape(isActive: boolean, onEscape: () => void) {
  useEffect(() => {
    if (!isActive) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onEscape();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  });
}

function indexOfNearest(numbers: readonly number[], value: number): number {
  let nearest = 0;
  for (const [index, each] of numbers.entries()) {
    if (Math.abs(each - value) < Math.abs((numbers[nearest] ?? 0) - value)) nearest = index;
  }
  return nearest;
}

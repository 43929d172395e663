import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  PointerSensor,
  type UniqueIdentifier,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import classes from './sortable-list.module.css';

export interface SortableListProps<T> {
  items: readonly T[];
  idOf: (item: T) => string;
  onMove: (from: number, to: number) => void;
  /** `handle` is what the pointer drags; the keyboard needs buttons. */
  renderItem: (item: T, index: number, handle: ReactNode) => ReactNode;
}

/** A list that is reordered by dragging. Load it lazily: the library is large. */
export function SortableList<T>({ items, idOf, onMove, renderItem }: SortableListProps<T>) {
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: 4 } }));
  const indexOf = (id: UniqueIdentifier) => items.findIndex((item) => idOf(item) === id);
  const finish = ({ active, over }: DragEndEvent) => {
    if (over !== null && over.id !== active.id) onMove(indexOf(active.id), indexOf(over.id));
  };
  return (
    <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={finish}>
      <ol className={classes.list}>
        {items.map((item, index) => (
          <SortableItem key={idOf(item)} id={idOf(item)} index={index} indexOf={indexOf}>
            {(handle) => renderItem(item, index, handle)}
          </SortableItem>
        ))}
      </ol>
    </DndContext>
  );
}

interface SortableItemProps {
  id: string;
  index: number;
  indexOf: (id: UniqueIdentifier) => number;
  children: (handle: ReactNode) => ReactNode;
}

function SortableItem({ id, index, indexOf, children }: SortableItemProps) {
  const drag = useDraggable({ id });
  const drop = useDroppable({ id });
  const from = drop.active === null ? -1 : indexOf(drop.active.id);
  const isTarget = drop.isOver && from !== index;
  const state = drag.isDragging ? 'dragged' : isTarget ? (from > index ? 'before' : 'after') : undefined;
  const handle = (
    // The buttons to move up and down do the same for the keyboard and assistive technology.
    <span ref={drag.setActivatorNodeRef} {...drag.listeners} className={classes.handle} aria-hidden="true">
      <Icon name="drag" />
    </span>
  );
  return (
    <li
      ref={(node) => {
        drag.setNodeRef(node);
        drop.setNodeRef(node);
      }}
      className={classes.item}
      data-drag={state}
      style={drag.transform ? { transform: `translateY(${drag.transform.y}px)` } : undefined}
    >
      {children(handle)}
    </li>
  );
}

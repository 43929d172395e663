import { createContext, useContext } from 'react';
import { isStoreUnavailable, messageOf } from '../../api.ts';
import { formatDateTime, formatTime } from '../format/format.ts';
import { LoadError } from './page-states.tsx';

/** Since when figures are late; null if they are not. */
export const LateSince = createContext<number | null>(null);

const HALF_A_DAY_MS = 12 * 60 * 60 * 1000;

export function lateSentence(since: number, now = Date.now()): string {
  const from = now - since < HALF_A_DAY_MS ? formatTime(since) : formatDateTime(since);
  return `Figures are late: events since ${from} are stored, but not counted yet.`;
}

/** In place of figures that come later. */
function LateFigures() {
  const since = useContext(LateSince);
  return (
    <p className="dimmed">
      {since === null
        ? 'Stored events cannot be read at the moment. New events are still stored.'
        : lateSentence(since)}
    </p>
  );
}

interface FiguresErrorProps {
  title: string;
  error: Error;
  onRetry: () => void;
}

/** Figures that could not be loaded. If they are only late, that is no error, and they are loaded again by themselves. */
export function FiguresError({ title, error, onRetry }: FiguresErrorProps) {
  if (isStoreUnavailable(error)) return <LateFigures />;
  return <LoadError title={title} message={messageOf(error)} onRetry={onRetry} />;
}

/** The same in the place of a single figure. */
export function FigureError({ title, error }: Pick<FiguresErrorProps, 'title' | 'error'>) {
  if (isStoreUnavailable(error)) return <span className="dimmed">Not counted yet</span>;
  return (
    <span className="bad">
      {title}: {messageOf(error)}
    </span>
  );
}

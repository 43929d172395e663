import { flushSync } from 'react-dom';
import { IconButton } from '../page/icon-button.tsx';

interface MoveButtonsProps {
  /** Of the item, such as "rule 2". */
  name: string;
  index: number;
  count: number;
  disabled: boolean;
  onMove: (to: number) => void;
}

/**
 * Move an item of an `ol` up and down. The focus moves with the item, so that pressing again moves it further; at an
 * end of the list it goes to the other button.
 */
export function MoveButtons({ name, index, count, disabled, onMove }: MoveButtonsProps) {
  const move = (pressed: Element, to: number) => {
    const list = pressed.closest('ol');
    const direction = pressed.getAttribute('data-move');
    flushSync(() => onMove(to));
    const buttons = list?.children[to]?.querySelectorAll<HTMLButtonElement>('[data-move]:enabled') ?? [];
    const same = [...buttons].find((button) => button.getAttribute('data-move') === direction);
    (same ?? buttons[0])?.focus();
  };
  if (count < 2) return null;
  const button = (direction: 'up' | 'down', to: number) => (
    <IconButton
      icon={direction}
      iconSize={14}
      data-move={direction}
      aria-label={`Move ${name} ${direction}`}
      disabled={disabled || to < 0 || to >= count}
      onClick={(event) => move(event.currentTarget, to)}
    />
  );
  return (
    <>
      {button('up', index - 1)}
      {button('down', index + 1)}
    </>
  );
}

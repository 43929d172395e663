import { CopyAction } from './copy-action.tsx';
import classes from './snippet.module.css';

interface SnippetProps {
  code: string;
  label: string;
  /** Easier to read than what is copied. */
  shown?: string;
}

/** Code to paste, with a button that copies it. */
export function Snippet({ code, label, shown = code }: SnippetProps) {
  return (
    <figure className={classes.snippet} aria-label={label}>
      <CopyAction text={code} label={`Copy ${label}`} />
      {/* Long lines scroll, which needs focus to work with the keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable */}
      <pre tabIndex={0}>
        <code>{shown}</code>
      </pre>
    </figure>
  );
}

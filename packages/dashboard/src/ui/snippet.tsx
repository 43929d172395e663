import { CopyAction } from './copy-action.tsx';
import classes from './snippet.module.css';

/** Code to paste, with a button that copies it. */
export function Snippet({ code, label }: { code: string; label: string }) {
  return (
    <figure className={classes.snippet} aria-label={label}>
      <CopyAction text={code} label={`Copy ${label}`} />
      {/* Long lines scroll, which needs focus to work with the keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable */}
      <pre tabIndex={0}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}

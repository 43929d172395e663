import classes from './json-block.module.css';

/** A value as JSON; long ones scroll. */
export function JsonBlock({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <pre className={classes.json} tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </pre>
  );
}

import classes from './share-bar.module.css';

interface ShareBarProps {
  /** In any unit. */
  shares: readonly number[];
  /** What a part is, for the mouse; the same words are beside its fields. */
  titles: readonly string[];
  /** The first part is what the others are compared with. */
  hasControl?: boolean;
}

/** How a whole is divided. */
export const ShareBar = ({ shares, titles, hasControl = false }: ShareBarProps) => (
  <div className={classes.bar} data-control={hasControl || undefined} aria-hidden="true">
    {shares.map((share, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their position
      <span key={index} style={{ flexGrow: share }} title={titles[index]} />
    ))}
  </div>
);

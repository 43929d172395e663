/** Paths of 24×24 line icons. */
const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 4v3h6V4z',
  traffic: 'M3 17l5-6 4 3 5-8 4 5',
  'split-tests': 'M4 12h5l7-7h4M9 12l7 7h4M17 2l3 3-3 3M17 16l3 3-3 3',
  flags: 'M5 21V4M5 5h12l-2 4 2 4H5',
  segments: 'M12 3a9 9 0 1 0 9 9h-9zM16 3.5A9 9 0 0 1 20.500 8H16z',
  goals: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 12h.01',
  metrics: 'M4 18a8 8 0 1 1 16 0M12 18l4-6',
  feedback: 'M4 5h16v11H9l-5 4z',
  sessions: 'M4 5h16v12H4zM8 21h8M12 17v4',
  keys: 'M14 10a4 4 0 1 0-3.500 3.970L13 16h3v3h3v-3.500L13.900 10.800',
  history: 'M4 12a8 8 0 1 0 2.500-5.800M4 4v4h4M12 8v4l3 2',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  account: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 20c1-4 4-5 8-5s7 1 8 5',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13M15.500 15.500L20 20',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 11v5M12 8h.01',
  up: 'M12 19V5M6 11l6-6 6 6',
  down: 'M12 5v14M6 13l6 6 6-6',
  left: 'M15 5l-7 7 7 7',
  right: 'M9 5l7 7-7 7',
  chevron: 'M6 9l6 6 6-6',
  drag: 'M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01',
  trash: 'M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13',
  external: 'M14 4h6v6M20 4l-9 9M18 14v6H4V6h6',
  play: 'M7 5l12 7-12 7z',
  pause: 'M8 5v14M16 5v14',
  stop: 'M6 6h12v12H6z',
  filter: 'M4 5h16l-6 8v6l-4-2v-4z',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  lock: 'M6 11h12v9H6zM8 11V8a4 4 0 0 1 8 0v3',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500L19 19M19 5l-1.500 1.500M6.500 17.500L5 19',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500z',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  undo: 'M9 8H15a5 5 0 0 1 0 10h-5M9 8l4-4M9 8l4 4',
} as const;

export type IconName = keyof typeof PATHS;

/** Decorative; the text beside it, or the label of its button, says what it means. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      aria-hidden="true"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' || name === 'drag' ? 3 : 1.75}
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

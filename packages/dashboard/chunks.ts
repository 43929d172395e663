import { join } from 'node:path';

// Which chunk of the build a module belongs to. Few larger chunks are better than the hundred small ones of the
// default: each chunk is compressed alone, so that small ones are a fifth larger in total.

interface Context {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

const SOURCES = join(import.meta.dirname, 'src');
/** Loaded only when something is dragged or a list is long. */
const LAZY = /src\/ui\/sortable-list|flags\/flag-table/;
const CHARTS = /node_modules\/d3-|src\/ui\/charts\//;

/** Components of Mantine that the shell, the sign-in form and dialogs use, and icons in other folders that those use. */
const FIRST_COMPONENTS = new Set(
  `ActionIcon Alert Button CloseButton Drawer FocusTrap Input InputBase Loader Menu Modal ModalBase Overlay Paper
  PasswordInput Popover Portal ScrollArea Skeleton Stack TextInput Title Transition UnstyledButton
  VisuallyHidden`.split(/\s+/),
);
const FIRST_ICONS = /\/(AccordionChevron|CheckIcon|RadioIcon)\.mjs$/;

/** Features whose code only their own pages use. */
const OWN_CHUNK = new Set(['accounts', 'feedback', 'flags', 'settings', 'split-tests']);

/** Null: as the bundler decides. */
export function chunkOf(id: string, context: Context): string | null {
  if (CHARTS.test(id)) return 'charts';
  const component = /@mantine\/core\/esm\/components\/([^/]+)\//.exec(id)?.[1];
  if (component !== undefined) {
    return FIRST_COMPONENTS.has(component) || FIRST_ICONS.test(id) ? null : 'components';
  }
  if (id.includes('node_modules') || LAZY.test(id) || firstLoad(context).has(id)) return null;
  const feature = /\/dashboard\/src\/features\/([^/]+)\//.exec(id)?.[1];
  if (feature !== undefined && OWN_CHUNK.has(feature)) return feature;
  return id.includes('/packages/') ? 'shared' : null;
}

let known: Set<string> | undefined;

/** Our modules that are needed before anything is shown: what the entry imports statically. */
function firstLoad(context: Context): Set<string> {
  if (known !== undefined) return known;
  known = new Set();
  const waiting = [join(SOURCES, 'main.tsx')];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (known.has(id) || id.includes('node_modules')) continue;
    known.add(id);
    waiting.push(...(context.getModuleInfo(id)?.importedIds ?? []));
  }
  return known;
}

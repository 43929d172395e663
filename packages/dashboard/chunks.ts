import { join } from 'node:path';

// Which chunk of the build a module belongs to. By default each combination of pages that share a module gets a chunk of
// its own: a hundred small ones, a fifth larger in total, because each is compressed alone.

interface Context {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** Components of Mantine that most pages use, but not the shell. */
const COMMON = new Set(
  `Anchor Badge Code Combobox CopyButton Divider Group List NativeScrollArea Select Table Tabs Text
  Tooltip`.split(/\s+/),
);
/** Components of the shell, the sign-in form and dialogs. */
const SHELL = new Set(
  `ActionIcon Alert Button CloseButton Drawer FocusTrap Input InputBase Loader Menu Modal ModalBase Overlay Paper
  PasswordInput Popover Portal ScrollArea Skeleton Stack TextInput Title Transition UnstyledButton
  VisuallyHidden`.split(/\s+/),
);
/** In folders of components above, but used by the shell. */
const SHELL_ICONS = /\/(AccordionChevron|CheckIcon|RadioIcon)\.mjs$/;
/** What most pages use. */
const SHARED =
  /dashboard\/src\/(ui|features\/(changes|configuration|targeting|explanations))\/(?!sortable-list|review-sheet|conflict|impact|change-problem)/;
/** Libraries that the shell needs. */
const SHELL_LIBRARIES =
  /node_modules\/(react|react-dom|scheduler|@tanstack\/(react-)?(router|router-core|history|query|query-core|store)|use-sync-external-store|@floating-ui|react-remove-scroll|react-remove-scroll-bar|react-style-singleton|use-sidecar|use-callback-ref|get-nonce|tslib|clsx|tabbable)\/|@mantine\/core\/esm\/core\//;

/** Null: as the bundler decides. */
export function chunkOf(id: string, context: Context): string | null {
  if (/node_modules\/d3-|src\/ui\/charts\//.test(id)) return 'charts';
  if (SHELL_LIBRARIES.test(id)) return 'shell';
  const component = /@mantine\/core\/esm\/components\/([^/]+)\//.exec(id)?.[1];
  if (component !== undefined) {
    if (SHELL.has(component) || SHELL_ICONS.test(id)) return 'shell';
    return COMMON.has(component) ? 'components' : null;
  }
  if (firstLoad(context).has(id)) return 'shell';
  return SHARED.test(id) ? 'shared' : null;
}

let known: Set<string> | undefined;

/** Our modules that are needed before anything is shown: what the entry imports statically. */
function firstLoad(context: Context): Set<string> {
  if (known !== undefined) return known;
  known = new Set();
  const waiting = [join(import.meta.dirname, 'src', 'main.tsx')];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (known.has(id) || id.includes('node_modules')) continue;
    known.add(id);
    waiting.push(...(context.getModuleInfo(id)?.importedIds ?? []));
  }
  return known;
}

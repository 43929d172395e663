import { Modal, TextInput } from '@mantine/core';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { useInertBackground } from '../../ui/hooks/use-inert-background.ts';
import { Icon, type IconName } from '../../ui/page/icon.tsx';
import type { Configuration } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import { usePropertyNavigate } from '../configuration/use-property-navigate.ts';
import { type MeasuredTest, measuredTests } from '../measured-flags/measured-tests.ts';
import { resultsOf } from '../split-tests/reported-test.ts';
import classes from './command-palette.module.css';
import { NAVIGATION } from './navigation.ts';

const MAX_SHOWN = 12;

interface Command {
  label: string;
  kind: string;
  icon: IconName;
  path: string;
  search?: Record<string, string>;
  /** In lower case. */
  text: string;
}

/** Finds every page and item of the property by name, key and tags, from memory. */
export function CommandPalette({ onClose }: { onClose: () => void }) {
  useInertBackground();
  const { configuration } = useProperty();
  const navigate = usePropertyNavigate();
  const [search, setSearch] = useState('');
  const [selected, setSelected] = useState(0);
  const commands = useMemo(() => allCommands(configuration), [configuration]);
  const found = useMemo(() => [...findCommands(commands, search), ...byId(search)], [commands, search]);
  const open = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    navigate(command.path, command.search);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setSelected((index) => Math.min(index + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setSelected((index) => Math.max(index - 1, 0));
    else if (event.key === 'Enter') open(found[selected]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size={560}
      yOffset="12vh"
      attributes={{ content: { 'aria-label': 'Search' } }}
    >
      <TextInput
        // At once: the dialog alone would focus it a moment later, and lose the first letters of whoever types on.
        autoFocus
        data-autofocus
        aria-label="Search pages, tests, flags, goals"
        placeholder="Search pages, tests, flags, goals …"
        role="combobox"
        aria-expanded
        aria-controls="commands"
        aria-activedescendant={found[selected] && `command-${selected}`}
        size="md"
        variant="unstyled"
        className={classes.input}
        leftSection={<Icon name="search" />}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setSelected(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="commands" role="listbox" aria-label="Results" className={classes.list}>
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keyboard
          <div
            key={[command.kind, command.path, ...Object.values(command.search ?? {})].join(' ')}
            id={`command-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === selected}
            className={classes.option}
            onClick={() => open(command)}
            onMouseMove={() => setSelected(index)}
          >
            <Icon name={command.icon} />
            <span className={classes.label}>{command.label}</span>
            <span className={classes.kind}>{command.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className={classes.none}>Nothing found for “{search}”.</p>}
    </Modal>
  );
}

function allCommands(configuration: Configuration): Command[] {
  const { splitTests, flags, segments, goals, feedbackTypes } = configuration;
  const item =
    (kind: string, icon: IconName, path: string) =>
    (key: string, name: string, tags: string[] = []) => ({
      kind,
      icon,
      label: name || key,
      path: path.replace('*', encodeURIComponent(key)),
      text: [name, key, ...tags].join(' ').toLowerCase(),
    });
  return [
    ...NAVIGATION.map(({ path, label, icon }) => ({
      kind: 'Page',
      label,
      icon,
      path,
      text: label.toLowerCase(),
    })),
    ...splitTests.map((it) => item('Split test', 'split-tests', 'split-tests/*')(it.key, it.name, it.tags)),
    ...flags.map((it) => item('Flag', 'flags', 'flags/*')(it.key, it.name, it.tags)),
    ...measuredTests(configuration).map(measuredCommand),
    ...segments.map((it) => item('Segment', 'segments', 'segments/*')(it.id, it.name ?? '')),
    ...goals.map((it) => item('Goal', 'goals', 'goals/*')(it.id, it.name)),
    ...feedbackTypes.map((it) => item('Feedback type', 'feedback', 'feedback/types/*')(it.id, it.name)),
  ];
}

function measuredCommand(test: MeasuredTest): Command {
  const { page, search } = resultsOf(test);
  return {
    kind: 'Measured flag',
    icon: 'split-tests',
    label: `${test.name}: ${test.place}`,
    path: page,
    search,
    text: [test.name, test.measuredRule.flagKey, test.place, ...test.tags].join(' ').toLowerCase(),
  };
}

/** What may be an id can be opened: sessions and visitors are not in memory. */
function byId(search: string): Command[] {
  const id = search.trim();
  if (!/^(?=.*\d)\S{6,}$/.test(id)) return [];
  return ['visitor', 'session'].map((kind) => ({
    label: `Open ${kind} ${id}`,
    kind: 'Id',
    icon: 'sessions',
    text: '',
    path: `${kind}s/${encodeURIComponent(id)}`,
  }));
}

/** All words must occur; matches at the beginning of the text come first. */
function findCommands(commands: readonly Command[], search: string): Command[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = commands.filter(({ text }) => words.every((word) => text.includes(word)));
  const first = words[0] ?? '';
  return [
    ...matching.filter(({ text }) => text.startsWith(first)),
    ...matching.filter(({ text }) => !text.startsWith(first)),
  ].slice(0, MAX_SHOWN);
}

import { Menu, UnstyledButton } from '@mantine/core';
import type { FlagValue, Rule } from '@switchyard/core/api/targeting';
import { type ReactNode, useId } from 'react';
import { useFocusIfAdded } from '../../../ui/hooks/use-focus-if-added.ts';
import { MoveButtons } from '../../../ui/lists/move-buttons.tsx';
import { IconButton } from '../../../ui/page/icon-button.tsx';
import { useProperty } from '../../configuration/property-context.tsx';
import { MeasuredBadge } from '../../measured-flags/measured-badge.tsx';
import { ruleSentence } from '../environment-words.ts';
import type { FlagKind } from '../values/flag-kinds.ts';
import classes from './rule-card.module.css';
import { RuleEditor } from './rule-editor.tsx';

interface RuleCardProps {
  rule: Rule;
  index: number;
  count: number;
  kind: FlagKind;
  startValue: FlagValue;
  handle: ReactNode;
  isExpanded: boolean;
  /** It was just added: its fields get the focus. */
  isAdded: boolean;
  errors: (pointer: string) => string | undefined;
  pointer: string;
  disabled: boolean;
  onToggle: () => void;
  onChange: (rule: Rule) => void;
  onMove: (to: number) => void;
  onDuplicate: () => void;
  onRemove: () => void;
}

/** One rule: its sentence, the buttons that act on it, and its fields when it is expanded. */
export function RuleCard(props: RuleCardProps) {
  const { rule, index, errors, pointer, onToggle } = props;
  const { segments } = useProperty().configuration;
  const fieldsId = useId();
  const fields = useFocusIfAdded(props.isAdded);
  const problem = errors(pointer);
  // Nobody should have to search for a mistake.
  const isOpen = props.isExpanded || problem !== undefined;
  return (
    <div className={classes.card} data-off={rule.enabled === false || undefined}>
      <div className={classes.head}>
        {props.handle}
        <span className={classes.number}>{index + 1}</span>
        <UnstyledButton
          className={classes.sentence}
          aria-expanded={isOpen}
          aria-controls={isOpen ? fieldsId : undefined}
          onClick={onToggle}
        >
          {rule.name && <strong>{rule.name}: </strong>}
          {ruleSentence(rule, segments)}
        </UnstyledButton>
        {rule.enabled === false && <span className={`badge ${classes.off}`}>Off</span>}
        <MeasuredBadge ruleId={rule.id} />
        {problem && !isOpen && <span className="bad">Has errors</span>}
        <RuleActions {...props} />
      </div>
      {isOpen && (
        <div ref={fields} id={fieldsId} className={classes.fields}>
          <RuleEditor {...props} />
        </div>
      )}
    </div>
  );
}

function RuleActions(props: RuleCardProps) {
  const { rule, index, count, disabled, onMove, onChange, onDuplicate, onRemove } = props;
  const name = `rule ${index + 1}`;
  return (
    <div className={classes.actions}>
      <MoveButtons name={name} index={index} count={count} disabled={disabled} onMove={onMove} />
      <Menu position="bottom-end">
        <Menu.Target>
          <IconButton icon="more" aria-label={`More for ${name}`} disabled={disabled} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => onChange(withEnabled(rule, rule.enabled === false))}>
            {rule.enabled === false ? 'Switch on' : 'Switch off'}
          </Menu.Item>
          <Menu.Item onClick={onDuplicate}>Duplicate</Menu.Item>
          <Menu.Item color="red" onClick={onRemove}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

/** On is the default, so it is left out. */
function withEnabled({ enabled: _, ...rule }: Rule, isOn: boolean): Rule {
  return isOn ? rule : { ...rule, enabled: false };
}

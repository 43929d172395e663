import { Button, Group } from '@mantine/core';
import type { FlagValue, Rule } from '@switchyard/core/api/targeting';
import { type ReactNode, useState } from 'react';
import { AddButton } from '../../../ui/fields/add-button.tsx';
import { moveItem } from '../../../ui/lists/move-item.ts';
import { SortableList } from '../../../ui/lists/sortable-list.tsx';
import { duplicateRule, newRule } from '../flag-configuration.ts';
import type { FlagKind } from '../values/flag-kinds.ts';
import { RuleCard } from './rule-card.tsx';

interface RuleListProps {
  rules: readonly Rule[];
  kind: FlagKind;
  /** What a new rule serves. */
  startValue: FlagValue;
  /** A rule that was begun elsewhere: its fields get the focus. */
  begun?: string | undefined;
  onChange: (rules: Rule[]) => void;
  errors: (pointer: string) => string | undefined;
  /** JSON pointer of the rules. */
  pointer: string;
  disabled: boolean;
  /** Beside the button that adds a rule. */
  actions?: ReactNode;
}

/** The rules in their order: the first that matches decides. Collapsed rules are sentences. */
export function RuleList(props: RuleListProps) {
  const { rules, kind, startValue, begun, onChange, errors, pointer, disabled, actions } = props;
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set(begun === undefined ? [] : [begun]));
  const [message, setMessage] = useState('');
  const [added, setAdded] = useState(begun);
  const toggle = (id: string) => {
    setAdded(undefined);
    setExpanded((ids) => new Set(ids.has(id) ? [...ids].filter((each) => each !== id) : [...ids, id]));
  };
  const add = (rule: Rule, at: number) => {
    onChange([...rules.slice(0, at), rule, ...rules.slice(at)]);
    setExpanded((ids) => new Set([...ids, rule.id]));
    setMessage(`Rule ${at + 1} added`);
  };
  const move = (from: number, to: number) => {
    onChange(moveItem(rules, from, to));
    setMessage(`Rule ${from + 1} is now rule ${to + 1} of ${rules.length}`);
  };
  const renderRule = (rule: Rule, index: number, handle: ReactNode) => (
    <RuleCard
      rule={rule}
      index={index}
      count={rules.length}
      kind={kind}
      startValue={startValue}
      handle={disabled ? null : handle}
      isExpanded={expanded.has(rule.id)}
      isAdded={rule.id === added}
      errors={errors}
      pointer={`${pointer}/${index}`}
      disabled={disabled}
      onToggle={() => toggle(rule.id)}
      onChange={(next) => onChange(rules.with(index, next))}
      onMove={(to) => move(index, to)}
      onDuplicate={() => add(duplicateRule(rules, rule), index + 1)}
      onRemove={() => {
        onChange(rules.filter((_, each) => each !== index));
        setMessage(`Rule ${index + 1} removed`);
      }}
    />
  );
  return (
    <div>
      <SortableList items={rules} idOf={({ id }) => id} onMove={move} renderItem={renderRule} />
      <Group gap="xs" mt="xs">
        <AddButton
          disabled={disabled}
          onClick={() => {
            const rule = newRule(rules, startValue);
            add(rule, rules.length);
            setAdded(rule.id);
          }}
        >
          Add rule
        </AddButton>
        {actions}
        {rules.length > 1 && (
          <Button
            size="xs"
            variant="subtle"
            onClick={() => setExpanded(new Set(expanded.size > 0 ? [] : rules.map(({ id }) => id)))}
          >
            {expanded.size > 0 ? 'Collapse all' : 'Expand all'}
          </Button>
        )}
      </Group>
      <div className="unseen" role="status">
        {message}
      </div>
    </div>
  );
}

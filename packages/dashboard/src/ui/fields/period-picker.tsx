import { Button, Group, Menu, Popover, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { displayZone } from '../format/display-zone.ts';
import { usePeriod } from '../hooks/use-period.ts';
import { Icon } from '../page/icon.tsx';
import { Form } from './form.tsx';
import { PERIODS, type PeriodName } from './period-of.ts';

/** Chooses the period of the page; it is part of the URL. */
export function PeriodPicker() {
  const [period, choose] = usePeriod();
  const [isCustom, setCustom] = useState(false);
  return (
    <Popover opened={isCustom} onChange={setCustom} position="bottom-end" trapFocus withRoles={false}>
      <Popover.Target>
        <div>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" size="xs" rightSection={<Icon name="chevron" size={14} />}>
                {period.label}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              {Object.entries(PERIODS).map(([name, label]) => (
                <Menu.Item
                  key={name}
                  onClick={() => (name === 'custom' ? setCustom(true) : choose(name as PeriodName))}
                  rightSection={period.name === name ? <Icon name="check" /> : undefined}
                >
                  {label}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        </div>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Custom period">
        <CustomPeriod
          onChoose={(from, to) => {
            setCustom(false);
            choose('custom', from, to);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function CustomPeriod({ onChoose }: { onChoose: (from: string, to: string) => void }) {
  const today = new Date(displayZone().local(Date.now())).toISOString().slice(0, 10);
  const [from, setFrom] = useState(today);
  const [to, setTo] = useState(today);
  const error = from > to ? 'The first day is after the last day' : undefined;
  const submit = () => {
    if (error === undefined) onChoose(from, to);
  };
  return (
    <Form onSubmit={submit}>
      <Stack gap="xs">
        <Group gap="xs" align="start">
          <TextInput
            label="First day"
            type="date"
            required
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
          <TextInput
            label="Last day"
            type="date"
            required
            value={to}
            error={error}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
        </Group>
        <Button type="submit" size="xs">
          Apply
        </Button>
      </Stack>
    </Form>
  );
}

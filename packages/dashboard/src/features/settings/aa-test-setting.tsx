import { Stack } from '@mantine/core';
import type { AaTest, AaTestMode } from '@switchyard/core/api/aa-test';
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api.ts';
import { OptionList } from '../../ui/fields/option-list.tsx';
import { formatDate } from '../../ui/format/format.ts';
import { Loaded, Panel } from '../../ui/page/panel.tsx';
import { useProperty } from '../configuration/property-context.tsx';

interface AaTestSettingProps {
  value: AaTestMode;
  onChange: (value: AaTestMode) => void;
}

const MODES = [
  { value: 'off', label: 'Off' },
  {
    value: 'assignment',
    label: 'Assignment',
    description: 'Visitors are split while they are counted: checks assignment and statistics, needs no code',
  },
  {
    value: 'exposures',
    label: 'Exposures',
    description: 'Pages also get the split test “aa-test”: checks that exposures arrive as well',
  },
] as const;
const CLASSES = { sound: 'good', alarm: 'bad', collecting: 'dimmed' };

/** The built-in test of assignment, tracking and statistics, with its last verdict. */
export function AaTestSetting({ value, onChange }: AaTestSettingProps) {
  const { propertyId } = useProperty();
  const verdict = useQuery({
    queryKey: ['aa-test', propertyId],
    queryFn: ({ signal }) => request<AaTest>('/v1/split-testing/aa-test', { query: { propertyId }, signal }),
  });
  return (
    <Panel
      title="A/A test"
      hint="Splits visitors into two groups that are treated alike. Any difference is a fault, or chance: it checks the installation every day."
    >
      <Stack gap="sm">
        <OptionList label="Mode" options={MODES} value={[value]} onChange={([mode]) => onChange(mode!)} />
        <Loaded query={verdict} what="the verdict of the A/A test" height={24}>
          {({ current, summary }) => (
            <p>
              {current === null ? (
                <span className="dimmed">Not evaluated yet: that happens daily after midnight UTC.</span>
              ) : (
                <>
                  <span className={CLASSES[current.verdict]}>{current.words}</span>{' '}
                  <span className="dimmed">As of {formatDate(current.at)}.</span>
                </>
              )}{' '}
              {summary}
            </p>
          )}
        </Loaded>
      </Stack>
    </Panel>
  );
}

import { Text, TextInput } from '@mantine/core';
import { sameJson } from '@switchyard/core/merge/json-value';
import { ChoiceField } from '../../../ui/fields/choice-field.tsx';
import { NumberField } from '../../../ui/fields/number-field.tsx';
import { PercentSlider } from '../../../ui/fields/percent-slider.tsx';
import { formatCount, formatPercent } from '../../../ui/format/format.ts';
import type { SplitTest } from '../../configuration/configuration-types.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import { titleOf } from '../split-test-facts.ts';
import { AudienceField } from './audience-field.tsx';
import classes from './editor.module.css';
import { EditorSection } from './editor-section.tsx';
import { PhaseNote } from './phase-note.tsx';
import { type AudienceShare, participatingShare, useDailyVisitors } from './planned-division.ts';
import type { SplitTestForm } from './use-split-test-form.ts';

export function AudienceSection({ form, locked }: { form: SplitTestForm; locked: string | undefined }) {
  const { property } = useProperty().configuration;
  const { value, change, errorAt, stored } = form;
  const traffic = value.trafficAllocation;
  const setTraffic = (next: number | null) => change({ trafficAllocation: next ?? 0 });
  const isMoved =
    (stored &&
      (traffic < stored.trafficAllocation ||
        value.unit !== stored.unit ||
        !sameJson(withMatch(stored.audience), withMatch(value.audience)))) ||
    hasOtherSlot(stored, value.exclusion);
  return (
    <EditorSection
      title="Audience and traffic"
      hint="Which visitors take part in the test, and how many?"
      locked={locked}
    >
      <AudienceField form={form} disabled={locked !== undefined} />
      <div>
        <div className={classes.slider}>
          <div>
            <span className={classes.label}>Traffic</span>
            <PercentSlider
              label="Traffic"
              value={traffic}
              onChange={setTraffic}
              disabled={locked !== undefined}
            />
          </div>
          <NumberField
            aria-label="Traffic in percent"
            unit="%"
            value={traffic}
            onChange={setTraffic}
            error={errorAt('/trafficAllocation')}
          />
        </div>
        <TrafficWords form={form} />
      </div>
      <UnitField form={form} disabled={locked !== undefined} />
      <ExclusionFields form={form} />
      {Number(property.holdout) > 0 && (
        <Text size="sm" c="dimmed">
          Holdout: {property.holdout} % of all visitors, always the same ones, see none of your tests. They
          show what all tests together achieve. The property’s settings have the percentage.
        </Text>
      )}
      <PhaseNote
        stored={stored}
        isChanged={isMoved === true}
        what="Another audience, less traffic, another unit, and another exclusion group or share"
      />
    </EditorSection>
  );
}

const UNITS = [
  { value: 'visitor', label: 'Count visitors' },
  { value: 'user', label: 'Count users' },
] as const;

const UNIT_WORDS = {
  visitor: 'Each browser counts for itself: a person with two devices is two visitors',
  user: 'All devices of a user who signs in count as one, and server-rendered pages show the user the same variation on all of them. Who has already seen another variation before signing in is left out of the results, and visitors who never sign in stay visitors',
};

function UnitField({ form, disabled }: { form: SplitTestForm; disabled: boolean }) {
  const { value, change, errorAt } = form;
  return (
    <ChoiceField
      label="Unit"
      description={UNIT_WORDS[value.unit]}
      options={UNITS}
      value={value.unit}
      onChange={(unit) => change({ unit })}
      disabled={disabled}
      error={errorAt('/unit')}
    />
  );
}

/** `all` is the default. */
const withMatch = (audience: SplitTest['audience']) => audience && { match: 'all', ...audience };

type Exclusion = SplitTestForm['value']['exclusion'];

const hasOtherSlot = (stored: SplitTest | undefined, exclusion: Exclusion) =>
  stored !== undefined &&
  (stored.exclusion?.group !== exclusion?.group || stored.exclusion?.share !== exclusion?.share);

function TrafficWords({ form }: { form: SplitTestForm }) {
  const visitors = useDailyVisitors(form.value);
  const share = participatingShare(form.value);
  const holdout = Number(useProperty().configuration.property.holdout) || 0;
  return (
    <Text size="sm" c="dimmed" role="status">
      {visitors?.audience && `${audienceWords(visitors.audience)} `}
      {share < 100 ? 'All other visitors see the control and are not counted. ' : ''}
      {visitors &&
        `About ${formatCount((visitors.daily * share * (100 - holdout)) / 10_000)} visitors a day take part.`}
    </Text>
  );
}

const audienceWords = ({ share, visitors, sampled }: AudienceShare) =>
  `The audience is ${formatPercent(share)} of the visitors${sampled < 1 ? `, in a sample of ${formatCount(visitors)}` : ''}.`;

function ExclusionFields({ form }: { form: SplitTestForm }) {
  const { splitTests } = useProperty().configuration;
  const { value, change, errorAt } = form;
  const { exclusion } = value;
  const others = splitTests.filter((test) => test.key !== value.key && holdsSlot(test));
  const groups = [...new Set(others.flatMap((test) => test.exclusion?.group ?? []))];
  const taken = others.filter((test) => test.exclusion?.group === exclusion?.group);
  const free = taken.reduce((sum, test) => sum - test.exclusion!.share, 100);
  // Without `from`, the server chooses the place within the group.
  const setGroup = (group: string) =>
    change({ exclusion: group === '' ? null : { group, share: exclusion?.share ?? Math.max(free, 1) } });
  return (
    <div className={classes.columns}>
      <TextInput
        label="Exclusion group"
        description="Tests in the same group never share a visitor. Empty: none"
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        list="exclusion-groups"
        value={exclusion?.group ?? ''}
        onChange={(event) => setGroup(event.currentTarget.value)}
        error={errorAt('/exclusion/group')}
      />
      <datalist id="exclusion-groups">
        {groups.map((group) => (
          <option key={group} value={group} />
        ))}
      </datalist>
      {exclusion && (
        <NumberField
          label="Share of the group"
          description={freeWords(free, taken)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          unit="%"
          value={exclusion.share}
          onChange={(share) => change({ exclusion: { group: exclusion.group, share: share ?? 0 } })}
          error={errorAt('/exclusion/share') ?? errorAt('/exclusion/from')}
        />
      )}
    </div>
  );
}

const freeWords = (free: number, taken: readonly SplitTest[]) =>
  taken.length === 0
    ? 'No other test uses this group'
    : `Up to ${Math.max(0, Number(free.toFixed(4)))} %: ${taken.map(titleOf).join(', ')} has the rest`;

/** Finished tests free their share, unless a winner is still served. */
const holdsSlot = ({ exclusion, status, winner }: SplitTest) =>
  exclusion !== null && status !== 'archived' && !(status === 'stopped' && winner === null);

import '../../../ui/style/mantine-form-styles.ts';
import { Button, TagsInput, TextInput } from '@mantine/core';
import { keyFromName } from '../../../ui/fields/key-from-name.ts';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { useMe } from '../../accounts/use-me.ts';
import { useProperty } from '../../configuration/property-context.tsx';
import classes from './editor.module.css';
import { EditorSection } from './editor-section.tsx';
import type { SplitTestForm } from './use-split-test-form.ts';

export function WhatSection({ form, locked }: { form: SplitTestForm; locked: string | undefined }) {
  const { configuration } = useProperty();
  const { account } = useMe();
  const { value, change, errorAt, stored } = form;
  const knownTags = [...new Set(configuration.splitTests.flatMap(({ tags }) => tags))];
  const rename = (name: string) => {
    // The key follows the name until somebody edits it; that of a saved test never changes.
    const follows = stored === undefined && value.key === keyFromName(value.name ?? '');
    change(follows ? { name, key: keyFromName(name) } : { name });
  };
  return (
    <EditorSection title="What" hint="What do you test, and what do you expect?" locked={locked}>
      <div className={classes.columns}>
        <TextInput
          label="Name"
          maxLength={256}
          value={value.name ?? ''}
          onChange={(event) => rename(event.currentTarget.value)}
          error={errorAt('/name')}
          withAsterisk={stored === undefined}
        />
        <TextInput
          label="Key"
          description={stored ? 'Used in code; it cannot change' : 'Used in code; it cannot change later'}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={value.key}
          readOnly={stored !== undefined}
          onChange={(event) => change({ key: event.currentTarget.value })}
          error={errorAt('/key')}
          withAsterisk={stored === undefined}
        />
      </div>
      <TextArea
        label="Hypothesis"
        placeholder="A friendlier button gets more sign-ups, because …"
        maxLength={4096}
        rows={2}
        value={value.hypothesis ?? ''}
        onChange={(text) => change({ hypothesis: text || null })}
        error={errorAt('/hypothesis')}
      />
      <TextArea
        label="Description"
        maxLength={4096}
        value={value.description ?? ''}
        onChange={(text) => change({ description: text || null })}
        error={errorAt('/description')}
      />
      <div className={classes.columns}>
        <TextInput
          label="Owner"
          placeholder="Email address or name"
          maxLength={256}
          value={value.owner ?? ''}
          onChange={(event) => change({ owner: event.currentTarget.value || null })}
          error={errorAt('/owner')}
          rightSectionWidth={48}
          rightSection={
            value.owner === account.email ? undefined : (
              <Button
                size="compact-xs"
                variant="subtle"
                aria-label="Me as owner"
                onClick={() => change({ owner: account.email })}
              >
                Me
              </Button>
            )
          }
        />
        <TagsInput
          label="Tags"
          data={knownTags}
          maxTags={20}
          value={value.tags}
          onChange={(tags) => change({ tags })}
          error={errorAt('/tags')}
        />
      </div>
    </EditorSection>
  );
}

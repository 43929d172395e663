import { Alert, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { readStored, writeStored } from '../../stored-text.ts';
import { CopyAction } from '../../ui/page/copy-action.tsx';
import type { SplitTest } from '../configuration/configuration-types.ts';
import { useProperty } from '../configuration/property-context.tsx';
import classes from './preview-links.module.css';
import { isInTest, titleOf } from './split-test-facts.ts';

/** Links that show one variation, whatever the visitor is assigned to. The SDK reads the parameter. */
export function PreviewLinks({ test, onClose }: { test: SplitTest; onClose: () => void }) {
  const { propertyId, configuration } = useProperty();
  const storageKey = `switchyard:preview-page:${propertyId}`;
  const [page, setPage] = useState(
    () => readStored(storageKey) ?? configuration.property.allowedOrigins?.[0] ?? '',
  );
  const remember = (next: string) => {
    setPage(next);
    writeStored(storageKey, next);
  };
  const isInvalid = page !== '' && !URL.canParse(page);
  return (
    <Modal opened onClose={onClose} title={`Preview ${titleOf(test)}`}>
      <Stack>
        <Text size="sm" c="dimmed">
          A preview shows one variation to whoever opens the link. It is not counted in the results.
        </Text>
        {test.status !== 'running' && (
          <Alert color="orange">
            Pages get a test only while it runs, so these links work after it has been started.
          </Alert>
        )}
        <TextInput
          label="Address of your page"
          placeholder="https://shop.example/"
          type="url"
          value={page}
          onChange={(event) => remember(event.currentTarget.value)}
          error={isInvalid ? 'Enter a whole address, such as https://shop.example/' : undefined}
          data-autofocus
        />
        <ul className={classes.links}>
          {test.variations.filter(isInTest).map(({ key }) => {
            const link = URL.canParse(page) ? previewLink(page, test.key, key) : undefined;
            return (
              <li key={key}>
                <strong>{key}</strong>
                {link === undefined ? (
                  <code>?{new URLSearchParams({ [`sy_${test.key}`]: key }).toString()}</code>
                ) : (
                  <>
                    <a href={link} target="_blank" rel="noopener noreferrer">
                      {link}
                    </a>
                    <CopyAction text={link} label={`Copy the link to ${key}`} />
                  </>
                )}
              </li>
            );
          })}
        </ul>
      </Stack>
    </Modal>
  );
}

function previewLink(page: string, testKey: string, variationKey: string): string {
  const url = new URL(page);
  url.searchParams.set(`sy_${testKey}`, variationKey);
  return url.href;
}

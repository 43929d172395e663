import { OWNER } from '@switchyard/testing/server/browser';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { Dashboard } from '../support/dashboard.ts';

const dashboard = await Dashboard.open({
  provision: {
    properties: [
      {
        id: 'shop',
        name: 'Shop',
        goals: [{ id: 'joined', name: 'Sign-ups', kind: 'count' }],
        feedbackTypes: [{ id: 'rating', name: 'Rating', options: ['good', 'bad'], textInput: true }],
      },
    ],
  },
});

const SHOP = '/v1/manage/properties/shop';
const stored = async (path: string) => (await dashboard.owner.get(`${SHOP}/${path}`)).body;

const isFocused = (target: Locator) => target.evaluate((it) => it === document.activeElement);

/** One person at one keyboard: nothing here uses a mouse or sets the focus by script. */
class Keyboard {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Presses Tab until the element has the focus, and checks that this can be seen. */
  async tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    for (let count = 0; !(await isFocused(target)); count += 1) {
      expect(count, `Tab reaches ${target}`).toBeLessThan(80);
      await this.page.keyboard.press('Tab');
    }
    expect(await target.evaluate((it) => it.matches(':focus-visible')), `${target} shows its focus`).toBe(
      true,
    );
  }

  async activate(target: Locator, key = 'Enter'): Promise<void> {
    await this.tabTo(target);
    await this.page.keyboard.press(key);
  }

  button(name: string | RegExp, within: Page | Locator = this.page): Locator {
    return within.getByRole('button', { name, exact: true });
  }

  async type(field: string, text: string): Promise<void> {
    // The label of a required field has a star, which is not part of its name; passwords have no role.
    const byName = this.page.getByRole('textbox', { name: field, exact: true });
    await this.tabTo(byName.or(this.page.getByLabel(field, { exact: true })).first());
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.type(text);
  }

  /** Through the command palette. */
  async open(name: string): Promise<void> {
    await this.page.keyboard.press('Control+k');
    const palette = this.page.getByRole('dialog', { name: 'Search' });
    await palette.waitFor();
    await this.page.keyboard.type(name);
    await palette.getByRole('option', { selected: true }).filter({ hasText: name }).waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await this.keepsFocus(`opening ${name}`);
  }

  /** Confirms in the review sheet, whose button has the focus. */
  async confirm(label: string): Promise<void> {
    const sheet = this.page.getByRole('dialog');
    await sheet.getByText('What changes').waitFor();
    const confirm = this.button(label, sheet);
    await expect.poll(() => isFocused(confirm), { message: `${label} has the focus` }).toBe(true);
    // Enabled when the change is checked.
    await expect.poll(() => confirm.isEnabled()).toBe(true);
    await this.page.keyboard.press('Enter');
    await sheet.waitFor({ state: 'detached' });
    await this.keepsFocus(`confirming “${label}”`);
  }

  async keepsFocus(after: string): Promise<void> {
    const message = `the focus after ${after}`;
    await expect
      .poll(() => this.page.evaluate(() => document.activeElement?.tagName), { message, timeout: 5000 })
      .not.toBe('BODY');
  }
}

describe.skipIf(dashboard.isMissing)('with the keyboard alone', () => {
  beforeAll(async () => {
    const { body } = await dashboard.owner.post(`${SHOP}/keys`, { kind: 'secret', name: 'server' });
    const sent = await dashboard.server.send('POST', '/v1/feedback/submit', {
      key: body.key,
      body: { propertyId: 'shop', feedbackTypeId: 'rating', option: 'good', message: 'Fast checkout' },
    });
    expect(sent.status, sent.text).toBe(200);
  });

  it('signs in, rolls out a flag, starts a test, answers feedback and undoes a change', async () => {
    const page = await dashboard.newPage('/p/shop/overview', null);
    const keyboard = new Keyboard(page);
    await keyboard.type('Email', OWNER.email);
    await keyboard.type('Password', OWNER.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();

    await keyboard.open('Flags');
    await keyboard.activate(keyboard.button('New flag').first());
    await keyboard.type('Name', 'Quick checkout');
    await keyboard.activate(keyboard.button('Save'));
    await keyboard.confirm('Create');
    await page.waitForURL('**/p/shop/flags/quick-checkout');
    await keyboard.keepsFocus('creating a flag');

    await keyboard.activate(keyboard.button('Roll out gradually'));
    await keyboard.keepsFocus('starting a rollout');
    await keyboard.tabTo(page.getByRole('slider'));
    for (let count = 0; count < 5; count += 1) await page.keyboard.press('ArrowRight');
    await keyboard.activate(keyboard.button('Save'));
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => isFocused(keyboard.button('Save')), { message: 'the focus is back' }).toBe(true);
    await page.keyboard.press('Enter');
    await keyboard.confirm('Save');
    const [environment] = Object.values((await stored('flags/quick-checkout')).environments);
    expect(environment).toMatchObject({ rules: [{ rollout: { percentage: 15 } }] });

    await keyboard.open('Split tests');
    await keyboard.activate(keyboard.button('New split test').first());
    await keyboard.type('Name', 'Large button');
    await keyboard.type('Value of control', 'Buy');
    await keyboard.type('Value of b', 'Get it');
    await keyboard.activate(page.getByRole('combobox', { name: 'Primary goal' }));
    await page.getByRole('option', { name: 'Sign-ups', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await keyboard.activate(keyboard.button('Save'));
    await keyboard.confirm('Save');
    await page.waitForURL('**/p/shop/split-tests/large-button');
    await keyboard.keepsFocus('creating a split test');
    await keyboard.activate(keyboard.button('Start'));
    await keyboard.confirm('Start');
    await keyboard.button('Pause').waitFor();
    expect(await stored('split-tests/large-button')).toMatchObject({ status: 'running', goals: ['joined'] });

    await keyboard.open('Feedback');
    const entry = keyboard.button(/Fast checkout/);
    await keyboard.activate(entry);
    const drawer = page.getByRole('dialog', { name: 'Rating' });
    const done = drawer.getByRole('radio', { name: 'Done' });
    await keyboard.tabTo(drawer.getByRole('radio', { name: 'New' }));
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => done.isChecked()).toBe(true);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await expect.poll(() => entry.evaluate((it) => it === document.activeElement)).toBe(true);

    await keyboard.open('History');
    const details = keyboard.button(/^Details of the change of flag quick-checkout, version 2/);
    await keyboard.activate(details);
    await keyboard.activate(keyboard.button(/^Undo/));
    await keyboard.confirm('Restore');
    // As it was created.
    expect((await stored('flags/quick-checkout')).environments).toEqual({});
  });
});

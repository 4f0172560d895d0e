import { expect } from 'chai';
import { Browser } from './browser.ts';
import { TROUBLE } from './cluster-in-trouble.ts';
import { InspectorWorld, type WorldOptions } from './inspector-world.ts';

/** A program, its inspector, and a browser with the page. */
export interface Opened extends AsyncDisposable {
  readonly world: InspectorWorld;
  readonly browser: Browser;
  readonly url: string;
  /** Waits until the view has this text. */
  readonly shows: (text: string | RegExp) => Promise<void>;
  readonly tab: (name: string) => Promise<void>;
}

/** With `trouble`, the inspector also shows a cluster. The disposal refuses complaints of the browser. */
export async function openPage(
  options: WorldOptions = {},
  prepare: (world: InspectorWorld) => Promise<void> = async () => {},
  trouble = false,
): Promise<Opened> {
  const world = await InspectorWorld.start(options);
  await prepare(world);
  const { server } = world;
  const cluster = { server, inspect: () => ({ workloads: TROUBLE }) };
  const { url } = await world.inspect({
    updateIntervalMs: 100,
    cluster: trouble ? cluster : undefined,
  });
  const browser = await Browser.start();
  const { page } = browser;
  await page.goto(url);
  await page.locator('#connection', { hasText: 'live' }).waitFor();
  return {
    world,
    browser,
    url,
    shows: async (text) => {
      await page.locator('main', { hasText: text }).waitFor();
    },
    tab: async (name) => {
      await page.locator('#tabs a', { hasText: name }).click();
    },
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
      expect(browser.complaints, 'the console of the browser').to.deep.equal([]);
    },
  };
}

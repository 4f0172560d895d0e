import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { controller } from '../../lib/controller/builder/controller-builder.ts';
import { silentLogger } from '../../lib/kernel/report/logger.ts';
import { deferred } from '../../lib/kernel/time/latch.ts';
import { until } from '../support/until.ts';
import { CHROMIUM } from './support/browser.ts';
import { LONG_ERROR } from './support/cluster-in-trouble.ts';
import { openPage } from './support/opened-page.ts';

/** Collects the texts of the live region of the page from now on in `window.spoken`. */
const LISTEN = `
  window.spoken = [];
  const target = document.querySelector('#announce');
  const listen = () => window.spoken.push(target.textContent);
  new MutationObserver(listen).observe(target, { childList: true, characterData: true, subtree: true });
`;

const VIEWS = [
  'overview',
  'informers',
  'queues',
  'reconciles',
  'reconciles?show=failed',
  'objects',
  'key',
  'key?key=shop/bad',
  'server',
  'cluster',
];

const LOOKS = [360, 400, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => [width, colorScheme] as const),
);

interface Place {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const placeOf = (selector: string): string =>
  `document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect().toJSON()`;

/** The texts whose contrast is below 4.5, as WCAG 2.2 counts it; disabled controls are left out, as there. */
const FAINT_TEXTS = `(() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((value) => value / 255)
      .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let one = element; one !== null; one = one.parentElement) {
      const color = rgb(getComputedStyle(one).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll('body *')].flatMap((element) => {
    const texts = [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim() !== '');
    if (texts.length === 0 || element.disabled || !element.checkVisibility()) return [];
    const [one, other] = [light(rgb(getComputedStyle(element).color)), light(behind(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    return contrast >= 4.5 ? [] : [contrast.toFixed(2) + ' ' + texts[0].data.trim()];
  });
})()`;

/** As if the person looked at another tab. */
async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
}

describe('the page of the inspector, in Chromium', function () {
  before(function () {
    if (CHROMIUM !== undefined) return;
    console.log('      skipped: no Chromium at LISTWATCH_CHROMIUM or /usr/bin/chromium');
    this.skip();
  });

  it('shows the pipeline, and follows it live', async () => {
    await using opened = await openPage();
    const { world, browser, shows } = opened;
    await shows('Nothing needs attention.');
    const stations = browser.page.locator('.pipeline h3');
    expect(await stations.allTextContents()).to.deep.equal([
      'Transport',
      'Watch',
      'Reflector',
      'DeltaFIFO',
      'Store',
      'Handlers',
      'Queue',
      'Reconcile',
    ]);
    const store = browser.page.locator('.pipeline li', { has: browser.page.getByText('Store') });
    await store.getByText('1 objects').waitFor();
    await world.createPage('front');
    await store.getByText('2 objects').waitFor();
    await browser.page.locator('select').selectOption('secrets');
    await store.getByText('1 objects').waitFor();
  });

  it('names a failing key, and shows its way from the socket to the reconcile and back', async () => {
    const work = async (name: string): Promise<void> => {
      if (name === 'bad') throw new Error('the page has no title');
    };
    await using opened = await openPage({ work }, (world) => world.createPage('bad'));
    const { world, browser, shows, tab } = opened;
    await shows(/1 key fails. The latest is shop\/bad, \d+ times? in a row: the page has no title/);
    await tab('Queues');
    await browser.page.locator('table', { hasText: 'the page has no title' }).waitFor();
    await browser.page.locator('a.key', { hasText: 'shop/bad' }).first().click();
    await shows('One key on its way');
    await browser.page.locator('.steps li.bad', { hasText: 'Queue pages' }).waitFor();
    const steps = browser.page.locator('.steps').first();
    expect(await steps.locator('h3').allTextContents()).to.deep.equal([
      'Socket and watch',
      'Reflector and DeltaFIFO',
      'Store',
      'Handlers',
      'Queue pages',
      'Reconcile',
      'Back to the server',
    ]);
    await shows(/the cache of configmaps has version \d+/);
    const maps = world.client.resource('v1', 'configmaps', { namespace: 'shop' });
    const { metadata } = await maps.patch('bad', { data: { title: 'new' } });
    await shows(`the cache of configmaps has version ${metadata.resourceVersion}`);
  });

  it('shows the runs with cause and result', async () => {
    await using opened = await openPage({}, (world) => world.createPage('front'));
    const { browser, tab } = opened;
    await tab('Reconciles');
    const row = browser.page.locator('tbody tr', { hasText: 'shop/front' }).first();
    await row.waitFor();
    expect(await row.textContent()).to.match(
      /^shop\/frontdone[\d:.]+ .?sadded v1\/configmaps shop\/front @\d+–$/,
    );
    await browser.page.locator('.timeline rect').first().waitFor();
  });

  it('shows a key that is in work, and one that waits for it', async () => {
    const free = deferred<void>();
    const work = async (): Promise<void> => await free.promise;
    await using opened = await openPage({ work, concurrency: 1 }, async (world) => {
      await world.createPage('first');
      await until('the first run', () => world.pages.inspect().queue.running.count === 1);
      await world.createPage('second');
    });
    const { browser, tab, shows } = opened;
    await tab('Queues');
    await browser.page
      .getByRole('region', { name: 'Keys of pages in work' })
      .getByText('shop/first')
      .waitFor();
    await browser.page
      .getByRole('region', { name: 'Waiting keys of pages' })
      .getByText('shop/second')
      .waitFor();
    await shows('A worker is free when one of the 1 key in work is done.');
    free.resolve();
    await shows('It is empty: every change has been worked on.');
  });

  it('audits an informer against the server', async () => {
    await using opened = await openPage();
    const { browser, tab } = opened;
    await tab('Informers');
    await browser.page.getByRole('button', { name: 'Audit secrets against the server' }).click();
    await browser.page.locator('td', { hasText: /equal1 objects at \d+/ }).waitFor();
  });

  it('finds an object, masks its secrets, marks lines and compares it with the server', async () => {
    await using opened = await openPage({}, (world) => world.createPage('front'));
    const { world, browser, tab, shows } = opened;
    const { page } = browser;
    await tab('Objects');
    await page.locator('select').selectOption('secrets');
    await page.locator('.keys a', { hasText: 'shop/database' }).click();
    await shows(/password: \(masked, \d+ characters\)/);
    await page.locator('select').selectOption('configmaps');
    await page.locator('#search').fill('FRONT');
    await page.locator('.keys a', { hasText: 'shop/front' }).click();
    await shows('title: front');
    await page.locator('#find').fill('TITLE');
    await shows(/\d+ lines? with "TITLE"/);
    await page.locator('span.found', { hasText: 'title: front' }).waitFor();
    await page.getByRole('button', { name: 'Compare with the server' }).click();
    await shows(/equal The server has the same, @\d+/);
    await world.client.resource('v1', 'configmaps', { namespace: 'shop' }).delete('front');
    await until(
      'the deletion',
      () => world.pages.informers[0]?.indexer.get('shop/front') === undefined,
    );
    await page.getByRole('button', { name: 'Read again' }).click();
    await shows('The cache has no shop/front now.');
    // The answer 404 is in the console of every browser.
    const wanted = browser.complaints.splice(0).filter((text) => !text.includes('404'));
    expect(wanted).to.deep.equal([]);
  });

  it('shows the side of the server', async () => {
    await using opened = await openPage({}, async (world) => {
      const rule = { match: { verb: 'get' }, delayMs: 150 } as const;
      world.server.faults.add(rule);
    });
    const { world, browser, tab, shows } = opened;
    await tab('Server');
    await browser.page.locator('tr', { hasText: 'configmaps' }).waitFor();
    await shows('set on purpose');
    await world.client.resource('v1', 'secrets', { namespace: 'shop' }).get('database');
    await shows('/api/v1/namespaces/shop/secrets/database');
  });

  it('shows the nodes, pods and rollouts of a cluster, with those in trouble first', async () => {
    await using opened = await openPage({}, async () => {}, true);
    const { browser, shows, tab } = opened;
    await shows(/shop\/a-deployment[\w-]+: deployments "bad" is forbidden/);
    await shows('node-2 is failed.');
    await shows('1 pod CrashLoopBackOff.');
    await shows('2 pods that no node fits');
    await tab('Cluster');
    const { page } = browser;
    const firstCells = async (name: string): Promise<string[]> =>
      await page.getByRole('region', { name }).locator('tbody td:first-child').allTextContents();
    await shows('Nodes running');
    expect(await firstCells('Nodes')).to.deep.equal(['node-2', 'node-1']);
    expect((await firstCells('Rollouts of Deployments')).at(-1)).to.equal('shop/web');
    expect(await firstCells('Pods by state')).to.deep.equal([
      'Running',
      'Completed',
      'ContainerCreating',
      'CrashLoopBackOff',
      'Terminating',
    ]);
    await page.getByRole('img', { name: '40 Running, 2 Pending' }).waitFor();
  });

  it('pauses, goes on, and connects only while it is visible', async () => {
    await using opened = await openPage();
    const { browser, url, world } = opened;
    const { page } = browser;
    const inspector = await world.inspect({ updateIntervalMs: 100 });
    await page.goto(inspector.url);
    await until('the page', () => inspector.pages === 1);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('#connection', { hasText: 'paused' }).waitFor();
    await until('no page', () => inspector.pages === 0);
    await page.keyboard.press('p');
    await page.locator('#connection', { hasText: 'live' }).waitFor();
    await hide(page, true);
    await until('no page', () => inspector.pages === 0);
    await hide(page, false);
    await until('the page', () => inspector.pages === 1);
    expect(url).to.not.equal(inspector.url);
  });

  it('stays as large as it is while a thousand keys a second are worked on', async () => {
    await using opened = await openPage();
    const { browser, world, tab } = opened;
    const { page } = browser;
    await tab('Reconciles');
    const sizes: number[] = [];
    let enqueued = 0;
    for (let updates = 0; updates < 12; updates += 1) {
      for (let index = 0; index < 200; index += 1) {
        enqueued += 1;
        world.pages.enqueue({ name: `page-${enqueued}`, namespace: 'shop' });
      }
      await until('the runs', () => world.pages.inspect().runs.gone >= enqueued);
      const text = `object gone: ${enqueued.toLocaleString('en-US')}`;
      await page.locator('.head .badge', { hasText: text }).waitFor();
      sizes.push(await page.evaluate<number>('document.querySelectorAll("*").length'));
    }
    expect(await page.locator('tbody tr').count()).to.equal(30);
    expect(await page.locator('.timeline rect').count()).to.equal(60);
    expect(new Set(sizes).size, 'the elements of the page').to.equal(1);
  });

  it('is used by the keyboard, and keeps the focus while it is updated', async () => {
    await using opened = await openPage();
    const { browser, shows } = opened;
    const { page } = browser;
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.match(/^Skip/);
    await page.keyboard.press('2');
    await shows('Against the server');
    expect(await page.locator('#tabs a[aria-current=page]').textContent()).to.equal('Informers');
    await page.keyboard.press('5');
    await page.locator('#search').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('data');
    const before = await page.locator('#connection').textContent();
    await until(
      'an update',
      async () => (await page.locator('#connection').textContent()) !== before,
    );
    expect(await page.evaluate('document.activeElement.id')).to.equal('search');
    expect(await page.locator('#search').inputValue()).to.equal('data');
  });

  it('announces to a screen reader what matters, and not each update', async () => {
    await using opened = await openPage();
    const { browser, world } = opened;
    const { page } = browser;
    const announce = page.locator('#announce[role=status][aria-live=polite]');
    await page.locator('#announce', { hasText: 'live, 0 problems' }).waitFor({ state: 'attached' });
    await page.evaluate(LISTEN);
    const before = await page.locator('#connection').textContent();
    await until(
      'an update',
      async () => (await page.locator('#connection').textContent()) !== before,
    );
    const fault = world.server.faults.add({ match: {}, reset: true });
    await world.server.closeConnections();
    await announce.getByText(/live, [12] problems?/).waitFor({ state: 'attached' });
    fault.remove();
    await announce.getByText('live, 0 problems').waitFor({ state: 'attached' });
    const spoken = await page.evaluate<string[]>('window.spoken');
    expect(spoken.length).to.be.lessThan(8);
    expect(await page.locator('nav[aria-label], main, header, footer, h1').count()).to.equal(5);
  });

  it('says that the connection is lost, and comes back by itself', async () => {
    await using opened = await openPage();
    const { browser, world, url } = opened;
    const port = Number(new URL(url).port);
    await world.closeInspector();
    await browser.page.locator('#connection', { hasText: 'no connection since' }).waitFor();
    await world.inspect({ port });
    await browser.page.locator('#connection', { hasText: 'live' }).waitFor();
    browser.complaints.length = 0;
  });

  for (const [width, colorScheme] of LOOKS) {
    it(`fits a window of ${width} px, ${colorScheme}: no sideways scrolling, all texts readable`, async () => {
      const work = async (name: string): Promise<void> => {
        if (name === 'bad') throw new Error(LONG_ERROR);
      };
      await using opened = await openPage(
        { work },
        async (world) => {
          await world.createPage('bad');
          await world.createPage('front');
        },
        true,
      );
      const { browser, url, shows } = opened;
      const { page } = browser;
      await shows('1 key fails');
      await page.setViewportSize({ width, height: 700 });
      // Colours that are on their way from one scheme to the other have another contrast.
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const view of VIEWS) {
        await page.goto(`${url}/#/${view}`);
        const tab = `#tabs a[aria-current=page][href="#/${view.split('?')[0]}"]`;
        await page.locator(tab).waitFor();
        await page.locator('main section').first().waitFor();
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(overflow, view).to.be.at.most(0);
        expect(await page.evaluate(FAINT_TEXTS), `contrast of ${view}`).to.deep.equal([]);
        const { left, right } = await page.evaluate<Place>(placeOf(tab));
        expect(left >= 0 && right <= width, `the tab of ${view} is seen`).to.equal(true);
        const header = await page.evaluate<Place>(placeOf('header'));
        expect(header.bottom - header.top, `header of ${view}`).to.be.at.most(64);
      }
      const dark = colorScheme === 'dark';
      const color = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(color).to.equal(dark ? 'rgb(18, 22, 28)' : 'rgb(246, 247, 249)');
    });
  }

  it('shows key, result and error of a run in a window of 400 px, without scrolling in the table', async () => {
    const work = async (): Promise<void> => {
      throw new Error(LONG_ERROR);
    };
    await using opened = await openPage({ work }, (world) => world.createPage('bad'));
    const { browser, tab } = opened;
    const { page } = browser;
    await page.setViewportSize({ width: 400, height: 700 });
    await tab('Reconciles');
    const row = page.locator('tbody tr', { hasText: 'shop/bad' }).first();
    for (const part of ['a.key', '.badge.bad', '.error']) {
      const box = await row.locator(part).first().boundingBox();
      expect(box, part).to.not.equal(null);
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= 400, part).to.equal(true);
    }
    const hidden =
      'document.querySelector("main .scroll").scrollWidth > document.querySelector("main .scroll").clientWidth';
    expect(await page.evaluate(hidden)).to.equal(false);
  });

  it('groups the retries of a key, which open and stay open, and shows failed runs only', async () => {
    const work = async (name: string): Promise<void> => {
      if (name === 'bad') throw new Error('the page has no title');
    };
    await using opened = await openPage({ work, retryMs: 200 }, async (world) => {
      await world.createPage('bad');
      await world.createPage('front');
    });
    const { browser, tab } = opened;
    const { page } = browser;
    await tab('Reconciles');
    const rows = page.locator('tbody tr');
    const bad = page.locator('tbody tr', { hasText: 'shop/bad' });
    await bad.getByText(/^\d+ runs in /).waitFor();
    expect(await rows.count()).to.equal(2);
    await bad.locator('summary').click();
    const tries = await bad.locator('.tries li').count();
    await until('a retry', async () => (await bad.locator('.tries li').count()) > tries);
    expect(await bad.locator('.tries').isVisible()).to.equal(true);
    expect(await bad.textContent()).to.match(/added v1\/configmaps shop\/bad @\d+the page has no/);
    const button = page.getByRole('button', { name: 'Failed only' });
    await button.click();
    await until('the filter', async () => (await rows.count()) === 1);
    expect(await button.getAttribute('aria-pressed')).to.equal('true');
    expect(await rows.first().textContent()).to.include('shop/bad');
    expect(page.url()).to.match(/#\/reconciles\?show=failed$/);
  });

  it('lists the keys that fail and the recent ones, where none is given', async () => {
    const work = async (name: string): Promise<void> => {
      if (name === 'page-10') throw new Error('the page has no title');
    };
    await using opened = await openPage({ work }, async (world) => {
      for (const number of [10, 2, 1]) await world.createPage(`page-${number}`);
    });
    const { browser, tab } = opened;
    const { page } = browser;
    await tab('Key');
    const failing = page.getByRole('region', { name: 'Failing keys' });
    await failing.getByText('the page has no title').waitFor();
    expect(await failing.locator('tbody tr').count()).to.equal(1);
    const recent = page.getByRole('region', { name: 'Recent keys' });
    expect(await recent.locator('tbody tr').count()).to.equal(3);
    await recent.getByText('shop/page-2').click();
    await page.locator('.steps h3', { hasText: 'Reconcile' }).waitFor();
    await tab('Objects');
    await page.locator('select').selectOption('configmaps');
    await page.locator('.keys a', { hasText: 'shop/page-2' }).waitFor();
    expect(await page.locator('.keys a').allTextContents()).to.deep.equal([
      'shop/page-1',
      'shop/page-2',
      'shop/page-10',
    ]);
  });

  it('shows that a run was caused by what another controller wrote', async () => {
    await using opened = await openPage();
    const { browser, world, shows, tab } = opened;
    const { page } = browser;
    await using databases = controller(world.client, 'v1', 'secrets', {
      name: 'databases',
      informers: world.informers,
      logger: silentLogger,
    }).reconcile(async ({ metadata }, { resource }) => {
      const data = { of: metadata.name };
      await resource('v1', 'configmaps').create({ metadata: { name: 'of-database' }, data });
    });
    const running = databases.run();
    const { url } = await world.inspect({
      updateIntervalMs: 100,
      controllers: [world.pages, databases],
    });
    await page.goto(`${url}/#/key?key=shop/of-database`);
    await shows('Why it ran');
    const links = page.locator('section', { hasText: 'Why it ran' }).locator('.steps').last();
    await links.locator('li', { hasText: /^databases.*; reason: added v1\/secrets/ }).waitFor();
    const caused = links.locator('li', { hasText: /^pages.*written by the run above/ });
    await caused.waitFor();
    expect(await links.locator('h3').allTextContents()).to.deep.equal(['databases', 'pages']);
    await tab('Reconciles');
    const row = page.locator('tbody tr', { hasText: 'shop/of-database' }).first();
    expect(await row.textContent()).to.match(/@\d+written by databases for shop\/database/);
    await page.goto(`${url}/#/key?key=shop/database`);
    await links.locator('li', { hasText: /^pages.*; reason: a write of this run/ }).waitFor();
    await databases.close();
    await running;
  });

  it('is saved as one file that shows the same, without a server', async () => {
    const work = async (): Promise<void> => {
      throw new Error('<img src=x onerror=alert(1)>');
    };
    await using opened = await openPage({ work }, (world) => world.createPage('bad'));
    const { browser, shows } = opened;
    const { page } = browser;
    await shows('1 key fails');
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save page' }).click();
    const path = await (await downloading).path();
    const saved = `${path}.html`;
    const { copyFileSync, rmSync } = await import('node:fs');
    copyFileSync(path, saved);
    try {
      await page.goto(pathToFileURL(saved).href);
      await page.locator('#connection', { hasText: 'saved' }).waitFor();
      await shows('in a row: <img src=x onerror=alert(1)>');
      await page.goto(`${pathToFileURL(saved).href}#/key?key=shop/bad`);
      await shows('One key on its way');
      await page.locator('.steps li.bad').first().waitFor();
      expect(await page.locator('img').count()).to.equal(0);
      expect(readFileSync(saved, 'utf8')).to.not.contain('correct-horse');
    } finally {
      rmSync(saved);
    }
  });
});

/**
 * `npm run generate -- inspector-images`: the screenshots of `docs/guides/inspect.md`, of programs in the states that they show. With names, only
 * those. Any complaint of the browser's console fails it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sleep } from '../../../lib/kernel/time/wait.ts';
import { realRuntime } from '../../../lib/kernel/time/real-runtime.ts';
import type { Inspector } from '../../../lib/inspector/serve-inspector.ts';
import { Browser } from '../support/browser.ts';
import { InspectorWorld, type WorldOptions } from '../support/inspector-world.ts';
import { palettePng } from './palette-png.ts';

const IMAGES = resolve(import.meta.dirname, '../../../docs/images');
const LARGEST_BYTES = 60_000;
const OBJECTS = 100_000;

interface Scene {
  readonly name: string;
  readonly options?: WorldOptions;
  readonly colorScheme?: 'light' | 'dark';
  readonly height?: number;
  readonly view: string;
  /** Brings the world into the state; the page is open by then. */
  readonly prepare: (world: InspectorWorld) => Promise<void>;
  /** A text of the page that shows that it has the state. */
  readonly shows: string | RegExp;
}

const pagesOf = async (world: InspectorWorld, count: number): Promise<void> => {
  for (let index = 1; index <= count; index += 1) await world.createPage(`page-${index}`);
};

const SCENES: readonly Scene[] = [
  {
    name: 'idle',
    view: 'overview',
    prepare: async (world) => await pagesOf(world, 12),
    shows: /13 objects/,
  },
  {
    name: 'syncing',
    view: 'overview',
    prepare: async (world) => {
      await world.fill(OBJECTS);
      world.informers.for('example.com/v1', 'widgets');
    },
    shows: /reads its first list: \d{2},\d{3} objects so far/,
  },
  {
    name: 'dead-watch',
    view: 'overview',
    prepare: async (world) => {
      await pagesOf(world, 12);
      world.server.faults.add({ match: { verb: 'watch' }, reset: true });
      await world.server.closeConnections();
    },
    shows: 'No watch is open',
  },
  {
    name: 'failing-key',
    view: 'key?key=shop/page-3',
    options: {
      work: async (name) => {
        if (name === 'page-3')
          throw new Error(
            'deployments "page-3" is forbidden: exceeded quota: small, requested: cpu=2, limited: cpu=1',
          );
      },
    },
    prepare: async (world) => await pagesOf(world, 12),
    shows: /It has failed \d+ times in a row/,
  },
  {
    name: 'slow-handler',
    view: 'overview',
    options: { handler: async () => await sleep(realRuntime, 20) },
    prepare: async (world) => await world.fill(4000),
    shows: /events behind/,
  },
  {
    name: 'server',
    height: 860,
    view: 'server',
    colorScheme: 'dark',
    prepare: async (world) => {
      await pagesOf(world, 12);
      world.server.faults.add({ match: { verb: 'get' }, delayMs: 180 });
      const secrets = world.client.resource('v1', 'secrets', { namespace: 'shop' });
      for (let read = 0; read < 3; read += 1) await secrets.get('database');
    },
    shows: 'secrets/database',
  },
];

async function take(scene: Scene): Promise<void> {
  const { name, options, colorScheme = 'light', height = 660, view, prepare, shows } = scene;
  await using world = await InspectorWorld.start(options);
  const inspector: Inspector = await world.inspect({ updateIntervalMs: 150 });
  await using browser = await Browser.start({ width: 1280, height, colorScheme });
  const { page } = browser;
  await page.goto(`${inspector.url}/#/${view}`);
  await page.locator('#connection', { hasText: 'live' }).waitFor();
  const preparing = prepare(world);
  await page.locator('main', { hasText: shows }).waitFor();
  const png = palettePng(await page.screenshot());
  await preparing;
  if (png.length > LARGEST_BYTES) throw new Error(`${name} has ${png.length} bytes`);
  if (browser.complaints.length > 0) throw new Error(`${name}: ${browser.complaints.join('; ')}`);
  writeFileSync(join(IMAGES, `inspector-${name}.png`), png);
  console.log(`inspector-${name}.png: ${png.length} bytes`);
}

mkdirSync(IMAGES, { recursive: true });
const wanted = process.argv.slice(2);
for (const scene of SCENES) {
  if (wanted.length === 0 || wanted.includes(scene.name)) await take(scene);
}

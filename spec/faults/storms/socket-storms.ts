import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ConnectionConfig } from '../../../lib/client/config/contract/connection-config.ts';
import { pause } from '../world/exchange.ts';
import { SocketFleet } from './socket-fleet.ts';
import type { StormFigures } from './storm-figures.ts';

export interface SocketStormOptions {
  readonly config: ConnectionConfig;
  readonly informers: number;
  /** Length of each storm and outage, seconds. */
  readonly seconds: number;
  /** Shell commands that end the server and start it again; without them it is not restarted. */
  readonly restart?: { readonly down: string; readonly up: string } | undefined;
  /** Called with each line of figures as it is known. */
  readonly onFigures: (figures: StormFigures) => void;
}

const CALM_MS = 2000;
const DELETED = 100;
const FAR_RESETS = [1000, 1500];

/** Storms over sockets, in real time. Returns false when informers did not agree with the server in the end. */
export async function socketStorms(options: SocketStormOptions): Promise<boolean> {
  const { config, informers, seconds, restart, onFigures } = options;
  await using fleet = await SocketFleet.start(config, informers);
  const notified: StormFigures[] = [];
  const report = (figures: StormFigures): void => {
    notified.push(figures);
    onFigures(figures);
  };
  for (const gapMs of FAR_RESETS) report(await resets(fleet, gapMs, seconds));
  report(
    await outage(fleet, `connections are refused for ${seconds} s`, async () => {
      await fleet.proxy.down();
      await deleteAll(fleet);
      await pause(seconds * 1000);
      await fleet.proxy.up();
    }),
  );
  if (restart !== undefined) {
    report(
      await outage(fleet, 'the server is ended and started again', async () => {
        await deleteAll(fleet);
        await shell(restart.down);
        await pause(seconds * 1000);
        await shell(restart.up);
      }),
    );
  }
  report(await silence(fleet, seconds));
  for (const [code, count] of fleet.errors) console.log(`    ${count} × ${code}`);
  return notified.every(({ resumedS }) => resumedS !== undefined);
}

async function resets(fleet: SocketFleet, gapMs: number, seconds: number): Promise<StormFigures> {
  await pause(CALM_MS);
  const figures = fleet.measure();
  const before = fleet.proxy.resets;
  const endMs = performance.now() + seconds * 1000;
  while (performance.now() < endMs) {
    await pause(gapMs);
    fleet.proxy.reset();
  }
  const measured = figures();
  await fleet.create(`after-${gapMs}`);
  const resumedS = await fleet.until(() => fleet.consistent);
  const count = fleet.proxy.resets - before;
  const storm = `a reset each ${gapMs / 1000} s (${count} connections)`;
  return { storm, informers: fleet.informers.length, ...measured, resumedS };
}

/** Objects are deleted while the server is away; its history stays. */
async function outage(
  fleet: SocketFleet,
  storm: string,
  away: () => Promise<void>,
): Promise<StormFigures> {
  for (let index = 0; index < DELETED; index += 1) await fleet.create(`map-${index}`);
  await fleet.until(() => fleet.consistent);
  await pause(CALM_MS);
  const unknownBefore = fleet.unknownDeletions;
  const figures = fleet.measure();
  await away();
  const { mostASecond } = figures();
  const resumedS = await fleet.until(() => fleet.consistent);
  const unknownDeletions = fleet.unknownDeletions - unknownBefore;
  const { relists } = figures();
  const informers = fleet.informers.length;
  return { storm, informers, mostASecond, resumedS, relists, unknownDeletions };
}

async function silence(fleet: SocketFleet, seconds: number): Promise<StormFigures> {
  await fleet.create('last');
  await fleet.until(() => fleet.consistent);
  const figures = fleet.measure();
  fleet.proxy.silence(true);
  const noticedS = await fleet.until(() => fleet.watching === 0);
  await pause(seconds * 1000);
  const { mostASecond } = figures();
  fleet.proxy.silence(false);
  const resumedS = await fleet.until(() => fleet.consistent);
  const { relists } = figures();
  const storm = `nothing comes through, ${seconds} s longer`;
  return { storm, informers: fleet.informers.length, mostASecond, noticedS, resumedS, relists };
}

async function deleteAll(fleet: SocketFleet): Promise<void> {
  for (let index = 0; index < DELETED; index += 1) await fleet.delete(`map-${index}`);
}

async function shell(command: string): Promise<void> {
  await promisify(execFile)('bash', ['-c', command]);
}

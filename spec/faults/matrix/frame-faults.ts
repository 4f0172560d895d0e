import { LIMIT_MS, type Fault } from '../fault.ts';
import type { Exchange } from '../world/exchange.ts';
import { errorFrame } from '../world/exchange.ts';
import type { World } from '../world/world.ts';

const MIB = 1024 * 1024;
/** More than a frame may have, 64 MiB, but not so much that a client without a bound runs out of memory. */
const OVERSIZED_MIB = 72;
const RECORDED = 15;

/** Events of a watch that are not what they should be. */
export const frameFaults: readonly Fault[] = [
  {
    name: 'truncated-frame',
    title: 'loses nothing when a watch ends as it should, in the middle of an event',
    what: 'half an event, and then the end of the body',
    limitMs: LIMIT_MS,
    install: async ({ proxy }) => {
      const watch = await proxy.liveWatch();
      await watch.nextFrame(async (frame) => {
        await watch.sendChunk(frame.subarray(0, frame.length / 2));
        await watch.endChunks();
      });
    },
  },
  {
    name: 'garbage-frame',
    title: 'takes no line that is no event for nothing',
    what: 'a line of HTML in place of an event; the watch goes on',
    limitMs: LIMIT_MS,
    install: async ({ proxy }) => {
      const watch = await proxy.liveWatch();
      await watch.nextFrame(() => watch.sendFrame('<html><h1>502 Bad Gateway</h1></html>'));
    },
  },
  {
    name: 'oversized-frame',
    title: 'leaves a line that does not end',
    what: `a line of ${OVERSIZED_MIB} MiB in place of an event`,
    limitMs: LIMIT_MS,
    install: async ({ proxy }) => {
      const watch = await proxy.liveWatch();
      await watch.nextFrame(async () => {
        const piece = Buffer.alloc(MIB, 'x');
        for (let sent = 0; sent < OVERSIZED_MIB && !watch.over; sent += 1) {
          await watch.sendChunk(piece);
        }
        await watch.sendFrame('');
      });
    },
  },
  {
    name: 'duplicated-frames',
    title: 'notifies once of an event that comes twice',
    what: `each of ${RECORDED} events comes twice`,
    limitMs: LIMIT_MS,
    install: async ({ proxy }) => {
      const watch = await proxy.liveWatch();
      await watch.nextFrames(RECORDED, async (frame) => {
        await watch.sendFrame(frame);
        await watch.sendFrame(frame);
      });
    },
  },
  {
    name: 'stale-replay',
    title: 'does not go back when a watch repeats the past',
    what: `the watch ends as it should; the next one begins with ${RECORDED} events of the one before`,
    limitMs: LIMIT_MS,
    install: async (world) => {
      const { watch, frames } = await recordFrames(world);
      const replayed = world.proxy.plan((exchange) => forwardAfter(exchange, frames), { times: 1 });
      await watch.endChunks();
      await replayed.done;
    },
  },
  {
    name: 'reordered-relist',
    title: 'does not go back when events come after the list that they are in',
    what: `410, a new list, and then ${RECORDED} events from before it, in any order`,
    limitMs: LIMIT_MS,
    install: async (world) => {
      const { watch, frames } = await recordFrames(world);
      const shuffled = frames
        .map((frame) => ({ frame, place: world.random() }))
        .toSorted((left, right) => left.place - right.place)
        .map(({ frame }) => frame);
      const kinds = ['watch', 'streaming-list'] as const;
      const replayed = world.proxy.plan((exchange) => forwardAfter(exchange, shuffled), {
        kinds,
        times: 1,
      });
      await watch.sendFrame(errorFrame(410, 'Expired', 'too old resource version'));
      await watch.endChunks();
      await replayed.done;
    },
  },
  {
    name: 'gone-event',
    title: 'lists again after 410 in the stream',
    what: 'an ERROR event with code 410, and the end of the watch',
    limitMs: LIMIT_MS,
    install: (world) => failInStream(world, 410, 'Expired', 'too old resource version'),
  },
  {
    name: 'error-event',
    title: 'goes on after an internal error in the stream',
    what: 'an ERROR event with code 500, and the end of the watch',
    limitMs: LIMIT_MS,
    install: (world) => failInStream(world, 500, 'InternalError', 'etcdserver: leader changed'),
  },
];

async function failInStream(
  { proxy }: World,
  code: number,
  reason: string,
  message: string,
): Promise<void> {
  const watch = await proxy.liveWatch();
  // In place of an event, which is lost with it.
  await watch.nextFrame(async () => {
    await watch.sendFrame(errorFrame(code, reason, message));
    await watch.endChunks();
  });
}

async function recordFrames({ proxy }: World): Promise<{ watch: Exchange; frames: Buffer[] }> {
  const watch = await proxy.liveWatch();
  const frames: Buffer[] = [];
  await watch.nextFrames(RECORDED, async (frame) => {
    frames.push(frame);
    await watch.sendFrame(frame);
  });
  return { watch, frames };
}

/** Forwards a watch; once it is live, these lines come before the next one. Resolves when they have been sent. */
async function forwardAfter(exchange: Exchange, frames: readonly Buffer[]): Promise<void> {
  await new Promise<void>((resolve) => {
    let sent = false;
    exchange.socket.once('close', resolve);
    void exchange.forward({
      tap: async (frame) => {
        if (exchange.live && !sent) {
          sent = true;
          for (const old of frames) await exchange.sendFrame(old);
          resolve();
        }
        await exchange.sendFrame(frame);
      },
    });
  });
}

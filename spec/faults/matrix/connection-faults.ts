import { LIMIT_MS, type Fault } from '../fault.ts';
import { refuseStreamingLists } from './streaming-lists.ts';
import type { World } from '../world/world.ts';

/** Connections that break, or pretend not to. */
export const connectionFaults: readonly Fault[] = [
  {
    name: 'reset-before-response',
    title: 'asks again after a connection that was reset before the answer',
    what: 'RST after the first request, before any byte of its answer',
    limitMs: LIMIT_MS,
    early: true,
    install: ({ proxy }) => proxy.plan((exchange) => exchange.reset(), { times: 1 }).done,
  },
  {
    name: 'reset-inside-headers',
    title: 'asks again after a connection that was reset inside the headers',
    what: 'RST in the middle of the headers of the first answer',
    limitMs: LIMIT_MS,
    early: true,
    install: ({ proxy }) =>
      proxy.plan(
        async (exchange) => {
          await exchange.write('HTTP/1.1 200 OK\r\nContent-Ty');
          exchange.reset();
        },
        { times: 1 },
      ).done,
  },
  {
    name: 'reset-inside-list',
    title: 'lists again after a connection that was reset inside the list',
    what: 'RST in the middle of the body of the first list; streaming lists are refused',
    limitMs: LIMIT_MS,
    early: true,
    install: async ({ proxy }) => {
      refuseStreamingLists(proxy);
      await proxy.plan(
        async (exchange) => {
          await exchange.sendHead(200, {
            'content-type': 'application/json',
            'content-length': '5000',
          });
          await exchange.write('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resou');
          exchange.reset();
        },
        { kinds: ['list'], times: 1 },
      ).done;
    },
  },
  {
    name: 'reset-after-list',
    title: 'watches from the list on when the connection is reset after the list',
    what: 'RST in answer to the first watch, the list before it being whole',
    limitMs: LIMIT_MS,
    early: true,
    install: async ({ proxy }) => {
      refuseStreamingLists(proxy);
      await proxy.plan((exchange) => exchange.reset(), { kinds: ['watch'], times: 1 }).done;
    },
  },
  {
    name: 'reset-inside-frame',
    title: 'loses nothing when the watch is reset inside an event',
    what: 'RST in the middle of an event of the watch',
    limitMs: LIMIT_MS,
    install: (world) => cutInsideFrame(world, 'reset'),
  },
  {
    name: 'reset-between-frames',
    title: 'loses nothing when the watch is reset between two events',
    what: 'RST right after an event of the watch',
    limitMs: LIMIT_MS,
    install: (world) => cutAfterFrame(world, 'reset'),
  },
  {
    name: 'reset-on-rewatch',
    title: 'loses nothing when the watch ends and the next ones are reset',
    what: 'the watch ends as it should; RST in answer to the next two requests',
    limitMs: LIMIT_MS,
    install: async ({ proxy }) => {
      const watch = await proxy.liveWatch();
      const plan = proxy.plan((exchange) => exchange.reset(), { times: 2 });
      await watch.endChunks();
      await plan.done;
    },
  },
  {
    name: 'half-open',
    title: 'notices a connection that is dead without a word',
    what: 'the connection of the watch stays open, but nothing comes through it any more',
    limitMs: LIMIT_MS,
    install: async ({ proxy }) => {
      (await proxy.liveWatch()).freeze();
    },
  },
  {
    name: 'half-open-before-headers',
    title: 'notices a watch that is never answered',
    what: 'the watch ends as it should; the next one is taken and never answered',
    limitMs: LIMIT_MS,
    install: async ({ proxy }) => {
      const watch = await proxy.liveWatch();
      const plan = proxy.plan((exchange) => exchange.freeze(), { times: 1 });
      await watch.endChunks();
      await plan.done;
    },
  },
  {
    name: 'half-open-inside-list',
    title: 'gives up a list that stops coming',
    what: 'the connection of the first list stays open, but its body stops in the middle; streaming lists are refused',
    limitMs: LIMIT_MS,
    early: true,
    install: async ({ proxy }) => {
      refuseStreamingLists(proxy);
      await proxy.plan(
        async (exchange) => {
          await exchange.sendHead(200, {
            'content-type': 'application/json',
            'content-length': '5000',
          });
          await exchange.write('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resou');
          exchange.freeze();
        },
        { kinds: ['list'], times: 1 },
      ).done;
    },
  },
  {
    name: 'end-inside-frame',
    title: 'loses nothing when the connection is closed inside an event',
    what: 'FIN in the middle of an event of the watch',
    limitMs: LIMIT_MS,
    install: (world) => cutInsideFrame(world, 'finish'),
  },
  {
    name: 'end-between-frames',
    title: 'loses nothing when the connection is closed between two events',
    what: 'FIN right after an event of the watch, without the end of the body',
    limitMs: LIMIT_MS,
    install: (world) => cutAfterFrame(world, 'finish'),
  },
];

async function cutInsideFrame({ proxy }: World, how: 'reset' | 'finish'): Promise<void> {
  const watch = await proxy.liveWatch();
  await watch.nextFrame(async (frame) => {
    const size = (frame.length + 1).toString(16);
    await watch.write(`${size}\r\n`);
    await watch.write(frame.subarray(0, frame.length / 2));
    watch[how]();
  });
}

async function cutAfterFrame({ proxy }: World, how: 'reset' | 'finish'): Promise<void> {
  const watch = await proxy.liveWatch();
  await watch.nextFrame(async (frame) => {
    await watch.sendFrame(frame);
    watch[how]();
  });
}

import { LIMIT_MS, type Fault } from '../fault.ts';
import type { Exchange, ForwardOptions } from '../world/exchange.ts';
import type { World } from '../world/world.ts';
import { refuseStreamingLists, without } from './streaming-lists.ts';

const INITIAL_EVENTS_END = '"k8s.io/initial-events-end"';
/** An informer waits 60 s for the end of a streaming list. */
const STREAMING_LIST_LIMIT_MS = 70_000;

/** Answers that come late, in another form than asked for, or not to their end. */
export const answerFaults: readonly Fault[] = [
  {
    name: 'slow-headers',
    title: 'waits for a server that holds the headers back until the first event',
    what: 'the watch ends as it should; the head of the next one comes with its first event, after 3 s',
    limitMs: LIMIT_MS,
    install: (world) => holdHeaders(world, 3000),
  },
  {
    name: 'very-slow-headers',
    title: 'loses nothing when the headers are held back for longer than it waits',
    what: 'as slow-headers, with the first event after 40 s',
    // It takes that long to come about.
    limitMs: 50_000,
    install: (world) => holdHeaders(world, 40_000),
  },
  {
    name: 'slow-list',
    title: 'takes a list that comes drop by drop',
    what: 'the first list comes in 20 pieces over 4 s; streaming lists are refused',
    limitMs: LIMIT_MS,
    early: true,
    install: async (world) => {
      refuseStreamingLists(world.proxy);
      const drip = { pieces: 20, overMs: world.scaled(4000) };
      await world.proxy.plan((exchange) => exchange.forward({ drip }), {
        kinds: ['list'],
        times: 1,
      }).done;
    },
  },
  {
    name: 'gzip',
    title: 'reads lists and watches that are compressed though it did not ask for it',
    what: 'every list and every watch is compressed with gzip, whatever the request says',
    limitMs: LIMIT_MS,
    early: true,
    install: ({ proxy }) => {
      proxy.plan((exchange) => exchange.forward({ gzip: true }));
      return Promise.resolve();
    },
  },
  {
    name: 'gzip-list',
    title: 'reads a plain list and its watch that are compressed',
    what: 'as gzip, from a server without streaming lists',
    limitMs: LIMIT_MS,
    early: true,
    install: ({ proxy }) => {
      refuseStreamingLists(proxy);
      proxy.plan((exchange) => exchange.forward({ gzip: true }));
      return Promise.resolve();
    },
  },
  {
    name: 'no-end-bookmark',
    title: 'lists when the end of a streaming list does not come',
    what: 'the bookmark that ends a streaming list is never sent',
    limitMs: STREAMING_LIST_LIMIT_MS,
    early: true,
    install: ({ proxy }) => {
      proxy.plan((exchange) => forwardWithoutEnd(exchange), { kinds: ['streaming-list'] });
      return Promise.resolve();
    },
  },
  {
    name: 'half-open-streaming-list',
    title: 'lists when a streaming list stops coming',
    what: 'the connection of a streaming list stays open, but its events stop after the third',
    limitMs: LIMIT_MS,
    early: true,
    install: ({ proxy }) => {
      let events = 0;
      proxy.plan(
        (exchange) =>
          exchange.forward({
            tap: async (frame) => {
              events += 1;
              await exchange.sendFrame(frame);
              if (events === 3) exchange.freeze();
            },
          }),
        { kinds: ['streaming-list'], times: 1 },
      );
      return Promise.resolve();
    },
  },
  {
    name: 'no-watch-list-400',
    title: 'lists when streaming lists are refused with 400',
    what: '400 in answer to sendInitialEvents, as from a server that does not know it',
    limitMs: LIMIT_MS,
    early: true,
    install: ({ proxy }) => {
      refuseStreamingLists(proxy, 400);
      return Promise.resolve();
    },
  },
  {
    name: 'no-watch-list-422',
    title: 'lists when streaming lists are refused with 422',
    what: '422 in answer to sendInitialEvents, as from a server that has it switched off',
    limitMs: LIMIT_MS,
    early: true,
    install: ({ proxy }) => {
      refuseStreamingLists(proxy, 422);
      return Promise.resolve();
    },
  },
  {
    name: 'ignores-watch-list',
    title: 'lists when the server takes a streaming list for a watch',
    what: 'sendInitialEvents is ignored: the present state comes as ADDED events, and nothing marks its end',
    limitMs: STREAMING_LIST_LIMIT_MS,
    early: true,
    install: ({ proxy }) => {
      const unknown = ['sendInitialEvents', 'resourceVersionMatch'];
      proxy.plan(
        (exchange) => forwardWithoutEnd(exchange, { path: without(exchange.head.path, unknown) }),
        { kinds: ['streaming-list'] },
      );
      return Promise.resolve();
    },
  },
  {
    name: 'gone-continue',
    title: 'lists in one piece when the token of the next page has expired',
    what: '410 in answer to the second page of the first list; streaming lists are refused',
    limitMs: LIMIT_MS,
    early: true,
    objects: 1100,
    install: expireContinueToken,
  },
  {
    name: 'list-longer-than-history',
    title: 'does not list for ever when lists take longer than the server remembers',
    what: 'for 6 s each list takes 1.5 s, and the server forgets its history meanwhile; streaming lists are refused',
    limitMs: LIMIT_MS,
    early: true,
    install: async (world) => {
      refuseStreamingLists(world.proxy);
      const overMs = world.scaled(1500);
      const lists = world.proxy.plan(
        async (exchange) => {
          const listed = exchange.forward({ drip: { pieces: 10, overMs } });
          await world.sleep(1400);
          await world.server.compact();
          await listed;
        },
        { kinds: ['list'] },
      );
      await world.sleep(6000);
      lists.cancel();
    },
  },
];

/** The head of each watch waits for its first event; there is none for this time. */
async function holdHeaders(world: World, quietMs: number): Promise<void> {
  const { proxy, writer } = world;
  const watch = await proxy.liveWatch();
  await writer.pause();
  const plan = proxy.plan((exchange) => exchange.forward({ lateHead: true }), {
    kinds: ['watch', 'streaming-list'],
  });
  await watch.endChunks();
  await world.sleep(quietMs);
  plan.cancel();
  writer.resume();
}

/** Forwards a streaming list, all but the bookmark that ends it. */
async function forwardWithoutEnd(exchange: Exchange, options: ForwardOptions = {}): Promise<void> {
  await exchange.forward({
    ...options,
    tap: async (frame) => {
      if (!frame.includes(INITIAL_EVENTS_END)) await exchange.sendFrame(frame);
    },
  });
}

/** Over with the refusal, or with the first watch of a client that requests no pages. */
async function expireContinueToken({ proxy }: World): Promise<void> {
  refuseStreamingLists(proxy);
  let finish = (): void => {};
  const over = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const lists = proxy.plan(
    async (exchange) => {
      if (!exchange.head.path.includes('continue=')) {
        // A list at version 0 would come whole, from the cache of the server.
        const path = without(exchange.head.path, ['resourceVersion', 'resourceVersionMatch']);
        await exchange.forward({ path });
        return;
      }
      await exchange.refuse(410, 'Expired', 'The provided continue parameter is too old');
      finish();
    },
    { kinds: ['list'] },
  );
  const watch = proxy.plan((exchange) => void exchange.forward(), { kinds: ['watch'], times: 1 });
  await Promise.race([over, watch.done]);
  lists.cancel();
}

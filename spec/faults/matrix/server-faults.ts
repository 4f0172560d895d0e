import { LIMIT_MS, type BadHandler, type Fault } from '../fault.ts';

const MIB = 1024 * 1024;
const DOWN_MS = 1000;

/** Servers that go and come back, and what lies between them and the informer. */
export const serverFaults: readonly Fault[] = [
  {
    name: 'server-restart',
    title: 'goes on with a server that was restarted',
    what: 'the server is down for 1 s, all connections are reset, and it comes back with its state',
    limitMs: LIMIT_MS,
    install: (world) => world.replaceServer('same', DOWN_MS),
  },
  {
    name: 'server-lost',
    title: 'drops what a server that was restarted does not have any more',
    what: 'the server is down for 1 s and comes back empty, with later resource versions',
    limitMs: LIMIT_MS,
    install: (world) => world.replaceServer('empty', DOWN_MS),
  },
  {
    name: 'restored-backup',
    title: 'follows a server whose resource versions went back',
    what: 'another server takes its address, with the same objects at lower resource versions',
    // A watch from the future is silent: it is looked into after 30 s, and a server takes 3 s to say what it does not have yet.
    limitMs: 45_000,
    install: (world) => world.replaceServer('restored', DOWN_MS),
  },
  {
    name: 'closing-proxy',
    title: 'loses nothing behind a proxy that lets no connection live long',
    what: 'for 9 s no watch lives longer than 1.5 s: a proxy that closes after 30 s, 20 times as fast',
    limitMs: LIMIT_MS,
    install: async (world) => {
      const lifeMs = world.scaled(1500);
      const watch = await world.proxy.liveWatch();
      const plan = world.proxy.plan((exchange) => exchange.forward({ lifeMs }));
      watch.finish();
      await world.sleep(9000);
      plan.cancel();
    },
  },
  {
    name: 'huge-object',
    title: 'takes an object of 20 MB',
    what: 'an object of 20 MB comes and stays',
    limitMs: LIMIT_MS,
    install: (world) => world.storeHuge('huge', 20 * MIB),
  },
];

/** Handlers that are no help. */
export const handlerFaults: readonly Fault[] = [
  handlerFault('throws', 'throws', 'one of three handlers throws each time it is called'),
  handlerFault('hangs', 'never returns', 'one of three handlers never returns'),
  handlerFault('slow', 'is slow', 'one of three handlers takes 20 ms a call'),
];

function handlerFault(handler: BadHandler, does: string, what: string): Fault {
  return {
    name: `handler-${handler}`,
    title: `serves the other handlers when one ${does}`,
    what,
    limitMs: LIMIT_MS,
    handler,
    install: (world) => world.sleep(1000),
  };
}

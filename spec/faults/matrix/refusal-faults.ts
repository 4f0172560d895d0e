import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LIMIT_MS, type Fault } from '../fault.ts';
import type { Act } from '../world/fault-proxy.ts';
import type { World } from '../world/world.ts';

const TIMES = 3;
const RETRY_AFTER_S = 1;
/** Timers are allowed to be early by this share. */
const EARLY = 0.99;

/** Answers that are refusals. */
export const refusalFaults: readonly Fault[] = [
  {
    name: 'gone-status',
    title: 'lists again after 410 as the status of a watch',
    what: 'the watch ends as it should; 410 in answer to the next one',
    limitMs: LIMIT_MS,
    install: (world) =>
      refuseNext(world, 1, (exchange) =>
        exchange.refuse(410, 'Expired', 'too old resource version'),
      ),
  },
  {
    name: 'gone-every-time',
    title: 'does not ask all the time when each watch is refused with 410',
    what: 'for 5 s each watch is answered with 410; lists are answered',
    limitMs: LIMIT_MS,
    install: (world) =>
      refuseFor(world, 5000, (exchange) =>
        exchange.refuse(410, 'Expired', 'too old resource version'),
      ),
  },
  {
    name: 'ends-at-once',
    title: 'does not ask all the time when each watch ends at once',
    what: 'for 5 s each watch ends as it should, at once and empty',
    limitMs: LIMIT_MS,
    install: (world) =>
      refuseFor(world, 5000, async (exchange) => {
        await exchange.sendStreamHead();
        await exchange.endChunks();
      }),
  },
  {
    name: 'too-many-requests-later',
    title: 'asks again when the server said it may, after 429 with Retry-After',
    what: `429 with Retry-After: ${RETRY_AFTER_S}, ${TIMES} times`,
    limitMs: LIMIT_MS,
    install: async (world) => {
      let notBeforeMs = 0;
      let early = 0;
      await refuseNext(world, TIMES, async (exchange) => {
        if (performance.now() < notBeforeMs) early += 1;
        await exchange.refuse(429, 'TooManyRequests', 'too many requests, please try again later', {
          'retry-after': String(RETRY_AFTER_S),
        });
        notBeforeMs = performance.now() + RETRY_AFTER_S * 1000 * EARLY;
      });
      world.addCheck(() => (early === 0 ? [] : [`${early} requests came before Retry-After`]));
    },
  },
  refusal('too-many-requests', 429, 'TooManyRequests', 'too many requests'),
  refusal('internal-error', 500, 'InternalError', 'an error on the server has prevented it'),
  refusal('unavailable', 503, 'ServiceUnavailable', 'the server is currently unable'),
  refusal('gateway-timeout', 504, 'Timeout', 'the request did not complete in time'),
  refusal('unauthorized', 401, 'Unauthorized', 'Unauthorized'),
  {
    name: 'bad-gateway',
    title: 'comes back after 502 without a Status',
    what: `502 and a page of HTML, ${TIMES} times`,
    limitMs: LIMIT_MS,
    install: (world) =>
      refuseNext(world, TIMES, (exchange) =>
        exchange.respond(502, '<html><h1>502 Bad Gateway</h1></html>', {
          'content-type': 'text/html',
        }),
      ),
  },
  {
    name: 'redirect',
    title: 'follows no redirect and sends its token to no other server',
    what: `302 to another host, ${TIMES} times`,
    limitMs: LIMIT_MS,
    install: async (world) => {
      const other = await anotherHost(world);
      await refuseNext(world, TIMES, (exchange) =>
        exchange.respond(302, '', { location: other + exchange.head.path }),
      );
    },
  },
];

function refusal(name: string, code: number, reason: string, message: string): Fault {
  return {
    name,
    title: `comes back after ${code}`,
    what: `${code} without Retry-After, ${TIMES} times`,
    limitMs: LIMIT_MS,
    install: (world) =>
      refuseNext(world, TIMES, (exchange) => exchange.refuse(code, reason, message)),
  };
}

/** Ends the watch as it should end, and answers the next requests in another way. */
async function refuseNext({ proxy }: World, times: number, act: Act): Promise<void> {
  const watch = await proxy.liveWatch();
  const plan = proxy.plan(act, { times });
  await watch.endChunks();
  await plan.done;
}

/** As `refuseNext`, for watches, as long as it takes. */
async function refuseFor(world: World, durationMs: number, act: Act): Promise<void> {
  const watch = await world.proxy.liveWatch();
  const plan = world.proxy.plan(act, { kinds: ['watch', 'streaming-list'] });
  await watch.endChunks();
  await world.sleep(durationMs);
  plan.cancel();
}

/** A handler that must get no call. */
async function anotherHost(world: World): Promise<string> {
  const heard: string[] = [];
  const server = createServer(({ headers, url }, response) => {
    const credentials = headers.authorization === undefined ? 'without' : 'with';
    heard.push(`the other host was asked for ${url}, ${credentials} credentials`);
    response.end('{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  world.addCheck(() => heard);
  world.onClose(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

import { request, type IncomingMessage } from 'node:http';
import { megabytes, seconds, sized, timed, type Bench, type Figure } from './bench.ts';
import { ServerChild } from './server-children.ts';
import type { Served } from './server-served.ts';

async function get({ port, token }: Served, path: string): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
    request({ port, host: '127.0.0.1', path, headers }, resolve).on('error', reject).end();
  });
}

/** Reads an answer to its end and forgets it; resolves with its size. */
async function drain(served: Served, path: string, pauseMs: number = 0): Promise<number> {
  const response = await get(served, path);
  if (response.statusCode !== 200) throw new Error(`${path} answered ${response.statusCode}`);
  let bytes = 0;
  for await (const chunk of response) {
    const before = Math.floor(bytes / 2 ** 20);
    bytes += (chunk as Buffer).length;
    if (pauseMs === 0 || Math.floor(bytes / 2 ** 20) === before) continue;
    await new Promise((resolve) => {
      setTimeout(resolve, pauseMs);
    });
  }
  return bytes;
}

/** All of a list in pages. */
async function pages(served: Served): Promise<number> {
  let bytes = 0;
  let token = '';
  do {
    const response = await get(served, `/api/v1/pods?limit=500&continue=${token}`);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const page = Buffer.concat(chunks);
    bytes += page.length;
    // The metadata stands before the items.
    token = /"continue":"([^"]+)"/.exec(page.toString('latin1', 0, 1000))?.[1] ?? '';
  } while (token !== '');
  return bytes;
}

async function strainOf(
  server: ServerChild<'server'>,
  name: string,
  read: () => Promise<number>,
): Promise<Figure[]> {
  await server.call('relax');
  let bytes = 0;
  const tookMs = await timed(async () => {
    bytes = await read();
  });
  const { memory, blockedMs, cpuMs } = await server.call('strain');
  return [
    seconds(`time, ${name}`, tookMs),
    seconds(`server CPU, ${name}`, cpuMs),
    megabytes(`memory over idle, ${name}`, memory),
    {
      name: `memory over the size of the answer, ${name}`,
      value: Math.max(0, memory) / bytes,
      unit: '',
    },
    { name: `longest time the loop was blocked, ${name}`, value: blockedMs, unit: 'ms' },
  ];
}

export const bench: Bench = {
  id: 'S4',
  title: 'S4 lists of 100,000 pods of 3.9 KB over HTTP: time, memory, and how long others wait',
  repeats: 3,
  run: async (size) => {
    const count = sized(size, { tiny: 500, quick: 20_000, full: 100_000 });
    await using server = new ServerChild('server');
    const served = await server.call('start', count);
    const all = '/api/v1/pods';
    await drain(served, `${all}?limit=10`);
    const first = await strainOf(server, 'the first list', () => drain(served, all));
    return [
      ...first,
      ...(await strainOf(server, 'another list', () => drain(served, all))),
      ...(await strainOf(server, 'version 0', () => drain(served, `${all}?resourceVersion=0`))),
      ...(await strainOf(server, 'a slow reader', () => drain(served, all, 5))),
      ...(await strainOf(server, 'pages of 500', () => pages(served))),
    ];
  },
};

import type { ApiRequest } from '../../lib/server/http/api-request.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import type { UnstructuredObject } from '../../lib/meta/object.ts';
import { collectGarbage, megabytes, seconds, sized, type Bench, type Figure } from './bench.ts';
import { requestOf } from './requests.ts';
import { largeDefinitions } from './workload/large-definitions.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const ESTABLISHED = '"status":"True","type":"Established"';
const PAUSE_MS = 5;

async function bodyOf(server: ApiServer, request: ApiRequest): Promise<Buffer> {
  const { status, body } = await server.handler(request);
  if (status >= 300) throw new Error(`${request.method} ${request.url} answered ${status}`);
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.length);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function get(server: ApiServer, path: string, accept = 'application/json'): Promise<number> {
  const request = requestOf('GET', path);
  const headers = { ...request.headers, accept };
  return (await bodyOf(server, { ...request, headers })).length;
}

async function apply(server: ApiServer, definition: UnstructuredObject): Promise<void> {
  const path = `${DEFINITIONS}/${definition.metadata?.name}?fieldManager=bench&force=true`;
  const request = requestOf('PATCH', path, definition);
  const headers = { ...request.headers, 'content-type': 'application/apply-patch+yaml' };
  await bodyOf(server, { ...request, headers });
}

/** The status of a definition follows its creation. */
async function established(server: ApiServer, definition: UnstructuredObject): Promise<void> {
  const request = requestOf('GET', `${DEFINITIONS}/${definition.metadata?.name}`);
  while (!(await bodyOf(server, request)).includes(ESTABLISHED)) {
    await new Promise((resolve) => {
      setTimeout(resolve, PAUSE_MS);
    });
  }
}

/** Processor time of the whole process, which other work on the machine changes less than the time. */
async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function milliseconds(name: string, value: number): Figure {
  return { name, value, unit: 'ms' };
}

async function documents(server: ApiServer, first: UnstructuredObject): Promise<Figure[]> {
  const read = async (name: string, path: string, accept?: string): Promise<Figure> =>
    milliseconds(name, await cpuOf(() => get(server, path, accept)));
  const metadata = { ...first.metadata, annotations: { 'example.org/version': 'v0.20.0' } };
  const figures = [
    await read('discovery after them', '/apis', AGGREGATED),
    await read('/openapi/v3 after them', '/openapi/v3'),
    await read('/openapi/v2 after them', '/openapi/v2'),
  ];
  await apply(server, { ...first, metadata, spec: withoutColumns(first) });
  return [
    ...figures,
    await read('/openapi/v3 after a change of one', '/openapi/v3'),
    await read('/openapi/v2 after a change of one', '/openapi/v2'),
  ];
}

function withoutColumns({ spec }: UnstructuredObject): object {
  const { versions } = spec as { readonly versions: readonly object[] };
  return { ...(spec as object), versions: versions.map((one) => ({ ...one, ...NO_COLUMNS })) };
}

const NO_COLUMNS = { additionalPrinterColumns: [] };

export const bench: Bench = {
  id: 'S5',
  title:
    'processor time of 57 definitions of custom resources of 9 to 500 KB: applies, documents; memory',
  run: async (size) => {
    const count = sized(size, { tiny: 3, quick: 57, full: 57 });
    const definitions = largeDefinitions(count);
    const server = new ApiServer();
    await get(server, '/api/v1/namespaces');
    await get(server, '/openapi/v3');
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const tookMs: number[] = [];
    const cpuMs = await cpuOf(async () => {
      for (const one of definitions) tookMs.push(await cpuOf(() => apply(server, one)));
      for (const one of definitions) await established(server, one);
    });
    collectGarbage();
    const memory = process.memoryUsage().heapUsed - before;
    const again = await cpuOf(async () => {
      for (const one of definitions) await apply(server, one);
    });
    const figures = [
      seconds('until all are established', cpuMs),
      milliseconds('longest apply', Math.max(...tookMs)),
      seconds('the same applies again', again),
      megabytes('memory of the heap', memory),
      ...(await documents(server, definitions[0] as UnstructuredObject)),
    ];
    await server.close();
    return figures;
  },
};

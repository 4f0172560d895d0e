import { connect } from '../../lib/client/rest/connect.ts';
import { ApiServer } from '../../lib/cluster/server/api-server.ts';
import { sized, timed, type Bench } from './bench.ts';

async function firstAnswer(): Promise<void> {
  const server = new ApiServer();
  await server.listen();
  const client = await connect(server.clientConfig());
  const { items } = await client.resource('v1', 'namespaces').list();
  if (!items.some((item) => item.metadata?.name === 'default')) throw new Error('no namespaces');
  await client.close();
  await server.close();
}

/** Cold: the first server of a process. Warm: the median of further ones. */
export const bench: Bench = {
  id: 'S1',
  title: 'from `listen` to the answer of the first request, over HTTP',
  repeats: 7,
  run: async (size) => {
    const cold = await timed(firstAnswer);
    const warm: number[] = [];
    for (let run = 0; run < sized(size, { tiny: 1, quick: 5, full: 20 }); run += 1) {
      warm.push(await timed(firstAnswer));
    }
    warm.sort((left, right) => left - right);
    return [
      { name: 'cold', value: cold, unit: 'ms' },
      { name: 'warm', value: warm[warm.length >> 1] ?? Number.NaN, unit: 'ms' },
    ];
  },
};

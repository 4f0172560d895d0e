/**
 * Records the rows that a kube-apiserver makes of odd objects, with the objects:
 * `node --import tsx spec/kinds/cells/record-cells.ts KUBECONFIG > recorded-cells.jsonl`
 */
import { Target, targetOfKubeconfig } from '../../compare/target/target.ts';
import { oddObjects, type OddObject } from './odd-objects.ts';

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const CLUSTER = /cells|^198/;

interface Row {
  readonly cells: readonly unknown[];
  readonly object: { readonly metadata: Record<string, unknown> } & Record<string, unknown>;
}

await main(process.argv[2] ?? '');

async function main(kubeconfig: string): Promise<void> {
  const target = new Target(await targetOfKubeconfig(kubeconfig));
  const send = async (
    method: string,
    path: string,
    body?: object,
    type = 'application/json',
  ): Promise<unknown> => {
    const headers = { accept: `${TABLE},application/json`, 'content-type': type };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await target.send({ method, path, headers, body: text, anonymous: false });
    if (answer.status < 300) return JSON.parse(answer.bytes.toString());
    throw new Error(`${method} ${path}: ${answer.status} ${answer.bytes.toString().slice(0, 400)}`);
  };
  const namespace = '/api/v1/namespaces/cells';
  await send('POST', '/api/v1/namespaces', { metadata: { name: 'cells' } });
  const made: string[] = [];
  try {
    for (const odd of oddObjects) {
      const { collection, path } = pathsOf(odd);
      try {
        await send('POST', collection, odd.object);
        made.push(path);
        if (odd.status !== undefined) {
          await send(
            'PATCH',
            `${path}/status`,
            { status: odd.status },
            'application/merge-patch+json',
          );
        }
        const { rows } = (await send('GET', `${path}?includeObject=Object`)) as { rows: Row[] };
        const [row] = rows;
        if (row === undefined) throw new Error(`${path} has no row`);
        delete row.object.metadata['managedFields'];
        console.log(JSON.stringify({ resource: odd.resource, ...row }));
      } catch (error) {
        console.error(error);
      }
    }
  } finally {
    for (const path of made.toReversed())
      await send('DELETE', `${path}?gracePeriodSeconds=0`).catch(console.error);
    await send('DELETE', namespace).catch(console.error);
    target.close();
  }
}

/** Objects outside of namespaces have names with `cells`, or are addresses. */
function pathsOf({ resource, object }: OddObject): { collection: string; path: string } {
  const parts = resource.split('/');
  const root = parts.length === 2 ? `/api/${parts[0]}` : `/apis/${parts[0]}/${parts[1]}`;
  const name = String(object.metadata['name']);
  const place = CLUSTER.test(name) ? root : `${root}/namespaces/cells`;
  const collection = `${place}/${parts.at(-1)}`;
  return { collection, path: `${collection}/${name}` };
}

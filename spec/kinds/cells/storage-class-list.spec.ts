import { expect } from 'chai';
import { cellsOf, listCellsOf } from '../../../lib/kinds/cells/built-in-cells.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { KubernetesVersion } from '../../../lib/meta/releases/kubernetes-releases.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';

const KIND = { group: 'storage.k8s.io', resource: 'storageclasses' };
const PATH = '/apis/storage.k8s.io/v1/storageclasses';
const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };

function storageClass(name: string, second: number, isDefault = true): KubernetesObject {
  const creationTimestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  return { metadata: { name, creationTimestamp, ...(isDefault ? { annotations } : {}) } };
}

function namesMarkedIn(objects: readonly KubernetesObject[]): unknown[] {
  const cells = listCellsOf(KIND)?.(objects);
  return objects.map((object) => cells?.(object, 0)[0]);
}

/** The name cells of a list, and that of one object. */
async function shownBy(version: KubernetesVersion): Promise<{ list: string[]; one: string }> {
  await using server = new ApiServer({ version });
  await server.listen();
  const { server: url, token } = server.clientConfig();
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
  };
  for (const name of ['b', 'a', 'plain']) {
    const metadata = name === 'plain' ? { name } : { name, annotations };
    const body = JSON.stringify({ metadata, provisioner: 'x/y' });
    const answer = await fetch(`${url}${PATH}`, { method: 'POST', headers, body });
    expect(answer.status).to.equal(201);
  }
  const names = async (path: string): Promise<string[]> => {
    const answer = await fetch(`${url}${path}`, { headers });
    const { rows } = (await answer.json()) as { rows: { cells: string[] }[] };
    return rows.map(({ cells }) => cells[0] ?? '');
  };
  const [one = ''] = await names(`${PATH}/a`);
  return { list: await names(PATH), one };
}

describe('a table of storage classes', () => {
  it('marks the newest of those that are annotated as the default', () => {
    const objects = [storageClass('a', 1), storageClass('b', 3), storageClass('c', 2)];
    expect(namesMarkedIn([...objects, storageClass('d', 4, false)])).to.deep.equal([
      'a',
      'b (default)',
      'c',
      'd',
    ]);
  });

  it('marks the first of several that were created in one second', () => {
    expect(namesMarkedIn([storageClass('a', 1), storageClass('b', 1)])).to.deep.equal([
      'a (default)',
      'b',
    ]);
  });

  it('marks none where no class is annotated', () => {
    expect(namesMarkedIn([storageClass('a', 1, false)])).to.deep.equal(['a']);
  });

  it('marks one in a list, and none in the table of one class', async () => {
    const { list, one } = await shownBy('1.37');
    expect(list.filter((name) => name.endsWith(' (default)'))).to.have.length(1);
    expect(list.at(-1)).to.equal('plain');
    expect(one).to.equal('a');
  });

  it('marks every annotated class in the versions before 1.37', async () => {
    expect(await shownBy('1.36')).to.deep.equal({
      list: ['a (default)', 'b (default)', 'plain'],
      one: 'a (default)',
    });
    expect(listCellsOf(KIND, 36)).to.equal(undefined);
    expect(cellsOf(KIND, 36)(storageClass('a', 1), 0)[0]).to.equal('a (default)');
  });
});

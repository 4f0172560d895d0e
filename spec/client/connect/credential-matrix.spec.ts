import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import { ApiServer } from '../../../lib/server/api/api-server.ts';
import { ScratchDirectory } from '../support/scratch-directory.ts';
import { credentialKinds } from './support/credential-kinds.ts';
import { FrontCluster } from './support/front-cluster.ts';
import { matrixTable, type MatrixRow } from './support/matrix-row.ts';
import { runTrial } from './support/trial.ts';

const ROTATIONS = 5;

describe('an informer over HTTPS, with every kind of credential', () => {
  const rows: MatrixRow[] = [];

  for (const kind of credentialKinds) {
    it(`${kind.name}: no relist, no missed event, at most one 401 a rotation`, async () => {
      await using server = new ApiServer();
      await server.listen();
      await using scratch = await ScratchDirectory.make();
      const target = server.clientConfig();
      await using cluster = await FrontCluster.start({ target, namespace: 'default' });
      await using wayIn = await kind.open({ cluster, scratch });
      await using writer = await connect(server.clientConfig());
      const row = await runTrial({
        kind: kind.name,
        cluster,
        wayIn,
        writer,
        rotations: ROTATIONS,
      });
      rows.push(row);
      expect(row.complaints).to.deep.equal([]);
      expect([row.relists, row.missed, row.repeated]).to.deep.equal([0, 0, 0]);
      expect(row.unauthorized).to.be.at.most(row.rotations);
      expect(row.connectionsOfCalls).to.equal(1);
    });
  }

  after(() => {
    for (const line of matrixTable(rows)) console.log(`      ${line}`);
  });
});

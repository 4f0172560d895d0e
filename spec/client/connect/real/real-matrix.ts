import { connect } from '../../../../lib/client/rest/connect.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';
import type { CredentialKind } from '../kinds/credential-kind.ts';
import type { Cluster } from '../support/cluster.ts';
import { FrontCluster } from '../support/front-cluster.ts';
import type { MatrixRow } from '../support/matrix-row.ts';
import { runTrial } from '../support/trial.ts';
import { RealCluster } from './real-cluster.ts';
import { RealServer } from './real-server.ts';

export interface RealMatrixOptions {
  readonly kinds: readonly CredentialKind[];
  readonly rotations: number;
  /** The directory with kube-apiserver and etcd. */
  readonly binaries: string;
  readonly onRow: (row: MatrixRow) => void;
}

/** The rows of all kinds on one kube-apiserver. The trials run at the same time: most of their time the server takes to forget. */
export async function realMatrix(options: RealMatrixOptions): Promise<readonly MatrixRow[]> {
  const { kinds, rotations, binaries, onRow } = options;
  await using scratch = await ScratchDirectory.make();
  await using server = await RealServer.start({ binaries, scratch });
  const run = async (kind: CredentialKind, index: number): Promise<MatrixRow> => {
    await using files = await ScratchDirectory.make();
    await using cluster = await clusterOf(kind, server, `trial-${index}`);
    await using writer = await connect({
      server: server.url,
      token: server.adminToken,
      tls: { ca: server.authority },
    });
    await using wayIn = await kind.open({ cluster, scratch: files });
    const row = await runTrial({ kind: kind.name, cluster, wayIn, writer, rotations });
    onRow(row);
    return row;
  };
  return await Promise.all(kinds.map(run));
}

async function clusterOf(
  kind: CredentialKind,
  server: RealServer,
  namespace: string,
): Promise<Cluster> {
  if (kind.needsFront !== true) return await RealCluster.start(server, namespace);
  await using admin = await connect({
    server: server.url,
    token: server.adminToken,
    tls: { ca: server.authority },
  });
  await admin.resource('v1', 'namespaces').create({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const target = { server: server.url, token: server.adminToken, authority: server.authority };
  return await FrontCluster.start({ target, namespace });
}

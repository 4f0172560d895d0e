import { connect } from '../../../../lib/client/rest/connect.ts';
import { ApiServer } from '../../../../lib/cluster/server/api-server.ts';
import { ScratchDirectory } from '../../support/scratch-directory.ts';
import type { CredentialKind } from '../kinds/credential-kind.ts';
import { EmbeddedCluster } from './embedded-cluster.ts';
import { FrontCluster } from './front-cluster.ts';
import type { MatrixRow } from './matrix-row.ts';
import { runTrial } from './trial.ts';

/** The row of one kind of credential, on an embedded server of its own behind a front. */
export async function embeddedRow(kind: CredentialKind, rotations: number): Promise<MatrixRow> {
  await using server = new ApiServer();
  await server.listen();
  await using scratch = await ScratchDirectory.make();
  await using cluster = await FrontCluster.start({
    target: server.clientConfig(),
    namespace: 'default',
  });
  await using writer = await connect(server.clientConfig());
  await using wayIn = await kind.open({ cluster, scratch });
  return await runTrial({ kind: kind.name, cluster, wayIn, writer, rotations });
}

/** The row of the token that the embedded server itself accepts, over its own TLS. */
export async function embeddedTokenRow(cuts: number): Promise<MatrixRow> {
  await using server = new ApiServer();
  await server.listen();
  await using cluster = await EmbeddedCluster.start(server);
  await using writer = await connect(server.clientConfig());
  const kind = 'token of the embedded server';
  return await runTrial({ kind, cluster, wayIn: cluster.wayIn(), writer, rotations: cuts });
}

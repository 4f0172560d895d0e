import { expect } from 'chai';
import { connect } from '../../../lib/client/rest/connect.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { AccessQuestion } from '../../../lib/server/registry/contract/access-parts.ts';

const CLUSTER_ROLES = { apiVersion: 'rbac.authorization.k8s.io/v1', resource: 'clusterroles' };

describe('onAccess of an ApiServer', () => {
  async function questionsOf(
    authorization: 'rbac' | 'always-allow',
    groups: readonly string[],
  ): Promise<{ asked: string[]; outcome: string }> {
    const asked: string[] = [];
    const onAccess = ({ user, verb, resource, name }: AccessQuestion): void => {
      asked.push(`${user.username}: ${verb} ${resource} ${name}`);
    };
    await using server = new ApiServer({ authorization, onAccess });
    await server.listen();
    const { certificate, privateKey } = server.issueClientCertificate({ user: 'jane', groups });
    await using client = await connect({
      server: server.url.replace('http:', 'https:'),
      tls: { ca: server.certificateAuthority, cert: certificate, key: privateKey },
      fieldManager: 'jane',
    });
    const { apiVersion, resource } = CLUSTER_ROLES;
    const metadata = { name: 'reader' };
    const applied = await client
      .resource(apiVersion, resource)
      .apply({ apiVersion, kind: 'ClusterRole', metadata, rules: [] })
      .then(
        () => 'applied',
        (error: { code: string }) => error.code,
      );
    return { asked: asked.filter((line) => line.includes('clusterroles')), outcome: applied };
  }

  it('gets each right that a request needs, also the one to create what is applied', async () => {
    expect(await questionsOf('always-allow', [])).to.deep.equal({
      asked: ['jane: patch clusterroles reader', 'jane: create clusterroles reader'],
      outcome: 'applied',
    });
  });

  it('gets a right that is refused', async () => {
    const { asked, outcome } = await questionsOf('rbac', []);
    expect(asked[0]).to.equal('jane: patch clusterroles reader');
    expect(outcome).to.equal('FORBIDDEN');
  });

  it('gets nothing about users with all rights', async () => {
    const { asked, outcome } = await questionsOf('rbac', ['system:masters']);
    expect(asked).to.deep.equal([]);
    expect(outcome).to.equal('applied');
  });
});

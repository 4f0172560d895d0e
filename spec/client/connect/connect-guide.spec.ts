import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { failureOf } from '../support/failure-of.ts';
import { GuideBench, GUIDE_DIRECTORY } from './support/guide-bench.ts';
import { guideFailures } from './support/guide-failures.ts';

const PAGE = join(resolve(import.meta.dirname, '..', '..', '..'), 'docs', 'guides', 'connect.md');
const [BEGIN, END] = ['<!-- failures: begin -->', '<!-- failures: end -->'];

/** The YAML blocks of the guide by the name of their entry. */
function entriesOf(page: string): ReadonlyMap<string, string> {
  const blocks = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = '']) => text);
  return new Map(blocks.map((text) => [/name: (\S+)/.exec(text)?.[1] ?? '', text]));
}

/** Prepares what an entry of the guide needs, and gives the real names for those of the guide. */
type Preparation = (bench: GuideBench) => Promise<Readonly<Record<string, string>>>;

const withToken: Preparation = async (bench) => {
  await bench.writeToken();
  return {};
};

const preparations: Readonly<Record<string, Preparation>> = {
  token: withToken,
  certificate: async (bench) => {
    await bench.writeCertificate();
    return {};
  },
  'plug-in': async (bench) => {
    const status = { token: await bench.cluster.issueToken() };
    const printed = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status,
    };
    return await bench.plugin(`console.log(${JSON.stringify(JSON.stringify(printed))});`);
  },
  oidc: async (bench) => {
    bench.acceptIssuer();
    const idToken = bench.issuer.newIdToken();
    bench.issuer.revokeIdTokens();
    return {
      'https://issuer.example': bench.issuer.url,
      ID_TOKEN: idToken,
      REFRESH_TOKEN: bench.issuer.newRefreshToken(),
    };
  },
  password: async (bench) => ({ PASSWORD: (await bench.cluster.issuePassword()).password }),
  impersonation: async (bench) => {
    const { token } = await bench.cluster.issueImpersonator();
    await bench.scratch.write('token', token);
    return {};
  },
  tls: async (bench) => {
    await bench.writeToken();
    bench.cluster.front.present(bench.cluster.serverCertificate(['api.shop.example']));
    return {};
  },
  proxy: async (bench) => {
    await bench.writeToken();
    return { 'http://user:password@proxy.example:3128': bench.proxy.urlWithPassword };
  },
};

describe('the guide to connecting', () => {
  const page = readFileSync(PAGE, 'utf8');
  const entries = entriesOf(page);
  let bench: GuideBench;

  beforeEach(async () => {
    bench = await GuideBench.start();
  });
  afterEach(async () => {
    await bench[Symbol.asyncDispose]();
  });

  it('has an entry for each way to authenticate that the spec prepares, and no other', () => {
    expect([...entries.keys()]).to.have.members(Object.keys(preparations));
  });

  for (const [name, entry] of entries) {
    it(`connects by the entry "${name}" as it stands`, async () => {
      const real = await preparations[name]!(bench);
      const kubeconfig = await bench.kubeconfig(entry, real);
      expect(await bench.namespaces({ kubeconfig })).to.include('default');
      expect(bench.proxy.targets.length > 0, 'it uses the proxy').to.equal(name === 'proxy');
    });
  }

  describe('says what each failure looks like', () => {
    const rows: string[] = [];

    for (const { wrong, provoke } of guideFailures) {
      it(wrong, async () => {
        const error = await failureOf(provoke(bench));
        const message = general(error.message, bench);
        expect(message.length, message).to.be.below(420);
        expect(message).not.to.contain('\n');
        rows.push(`| ${wrong} | \`${error.code}\` | ${message.replaceAll('|', '\\|')} |`);
      });
    }

    after(() => {
      const [before = '', rest = ''] = page.split(BEGIN);
      const [shown = '', behind = ''] = rest.split(END);
      const table = ['| what is wrong | code | message |', '|---|---|---|', ...rows].join('\n');
      const updates = process.env['LISTWATCH_UPDATE_DOCS'] === '1';
      if (updates) writeFileSync(PAGE, `${before}${BEGIN}\n${table}\n${END}${behind}`);
      else expect(shown.trim(), 'LISTWATCH_UPDATE_DOCS=1 rewrites it').to.equal(table);
    });
  });
});

/** The message without what differs from run to run. */
function general(message: string, bench: GuideBench): string {
  return message
    .replaceAll(bench.scratch.path, GUIDE_DIRECTORY)
    .replaceAll(process.execPath, 'aws')
    .replaceAll(/127\.0\.0\.1:\d\d+/g, 'SERVER')
    .replaceAll(/[A-Z]?:?[\w/.-]*node\b/g, 'aws');
}

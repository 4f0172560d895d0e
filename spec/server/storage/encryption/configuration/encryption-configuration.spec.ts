import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { VirtualRuntime } from '../../../../../lib/kernel/time/virtual-runtime.ts';
import { EmbeddedKeyValueStore } from '../../../../../lib/server/mvcc/embedded-key-value-store.ts';
import { KeyUsage } from '../../../../../lib/server/storage/encryption/aes-gcm-provider.ts';
import {
  EncryptionConfiguration,
  type EncryptionConfigurationOptions,
} from '../../../../../lib/server/storage/encryption/configuration/encryption-configuration.ts';
import { LocalKeyService } from '../../../../../lib/server/storage/encryption/local-key-service.ts';
import { rewriteStale } from '../../../../../lib/server/storage/encryption/rewrite-stale.ts';
import { KeyValueStorage } from '../../../../../lib/server/storage/key-value-storage.ts';
import type { Transformer } from '../../../../../lib/server/storage/value/transformer.ts';
import { context, failureOf, plaintext, secretOf } from '../sample.ts';

const FILE = '/etc/kubernetes/encryption.yaml';
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const SECRET = base64(secretOf('one'));
const HEADER = 'apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n';

/** One rule with the providers in YAML's flow style. */
const rule = (resources: string, providers: string): string =>
  `- resources: [${resources}]\n  providers: [${providers}]\n`;
const key = (name: string, secret: string = base64(secretOf(name))): string =>
  `{ name: ${name}, secret: ${secret} }`;
const gcm = (...names: string[]): string =>
  `{ aesgcm: { keys: [${names.map((name) => key(name)).join(', ')}] } }`;
const configOf = (...rules: string[]): string => `${HEADER}resources:\n${rules.join('')}`;

const parse = (text: string, options?: EncryptionConfigurationOptions): EncryptionConfiguration =>
  EncryptionConfiguration.parse(text, FILE, options);

/** The prefix that a transformer writes before its values. */
async function headOf(transformer: Transformer): Promise<string> {
  const value = Buffer.from(await transformer.toStorage(plaintext, context));
  return /^k8s:enc:\w+:v.:[^:]+:/.exec(value.toString('latin1'))?.[0] ?? 'plain';
}

const local = (): LocalKeyService =>
  new LocalKeyService({ keys: [{ name: 'kek-1', secret: secretOf('kek-1') }] });

describe('EncryptionConfiguration', () => {
  it('reads a file as Kubernetes writes it, line by line', async () => {
    const config = parse(
      `# from a cluster
apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources:
      - events
    providers:
      - identity: {}
  - resources:
      - secrets
      - configmaps
      - pandas.awesome.bears.example
    providers:
      - secretbox:
          keys:
            - name: box
              secret: ${SECRET}
      - aescbc:
          keys:
            - name: key1
              secret: ${base64(secretOf('key1', 16))}
      - kms:
          name: first
          endpoint: unix:///var/run/first.sock
          cachesize: 10
          timeout: 1m1.5s
      - kms:
          apiVersion: v2
          name: second
          endpoint: unix:///var/run/second.sock
      - identity: {}
  - resources:
      - '*.apps'
    providers:
      - aesgcm:
          keys:
            - name: key2
              secret: ${base64(secretOf('key2', 24))}
  - resources:
      - '*.*'
    providers:
      - aescbc:
          keys:
            - name: key3
              secret: ${SECRET}
`,
      { keyServices: { first: local(), second: local() } },
    );
    const heads = await Promise.all(
      [
        { group: '', resource: 'events' },
        { group: '', resource: 'secrets' },
        { group: 'awesome.bears.example', resource: 'pandas' },
        { group: 'apps', resource: 'deployments' },
        { group: '', resource: 'pods' },
        { group: 'other', resource: 'secrets' },
      ].map((resource) => headOf(config.transformerFor(resource))),
    );
    expect(heads).to.deep.equal([
      'plain',
      'k8s:enc:secretbox:v1:box:',
      'k8s:enc:secretbox:v1:box:',
      'k8s:enc:aesgcm:v1:key2:',
      'k8s:enc:aescbc:v1:key3:',
      'k8s:enc:aescbc:v1:key3:',
    ]);
    const values = [
      plaintext,
      await parse(
        configOf(
          rule('secrets', `{ kms: { apiVersion: v2, name: second, endpoint: 'unix:///x' } }`),
        ),
        { keyServices: { second: local() } },
      )
        .transformerFor({ group: '', resource: 'secrets' })
        .toStorage(plaintext, context),
    ];
    for (const value of values) {
      const read = await config
        .transformerFor({ group: '', resource: 'secrets' })
        .fromStorage(value, context);
      expect(read).to.deep.equal({ data: plaintext, stale: true });
    }
  });

  it('reads JSON, files of the kind "EncryptionConfig", and aliases', async () => {
    const json = JSON.stringify({
      kind: 'EncryptionConfig',
      apiVersion: 'v1',
      resources: [
        { resources: ['*.'], providers: [{ aesgcm: { keys: [{ name: 'k', secret: SECRET }] } }] },
      ],
    });
    const config = parse(json);
    expect(await headOf(config.transformerFor({ group: '', resource: 'pods' }))).to.equal(
      'k8s:enc:aesgcm:v1:k:',
    );
    expect(await headOf(config.transformerFor({ group: 'apps', resource: 'pods' }))).to.equal(
      'plain',
    );
    const aliased = parse(
      `${HEADER}resources:\n- resources: [secrets]\n  providers: &all [${gcm('k')}]\n- resources: [pods]\n  providers: *all\n`,
    );
    expect(await headOf(aliased.transformerFor({ group: '', resource: 'pods' }))).to.equal(
      'k8s:enc:aesgcm:v1:k:',
    );
  });

  it('refuses to read encrypted values of resources it does not name', async () => {
    const value = await parse(configOf(rule('secrets', gcm('k'))))
      .transformerFor({ group: '', resource: 'secrets' })
      .toStorage(plaintext, context);
    const other = parse(configOf(rule('pods', gcm('k')))).transformerFor({
      group: '',
      resource: 'secrets',
    });
    const error = await failureOf(() => other.fromStorage(value, context));
    expect(error.code).to.equal('CORRUPT_OBJECT');
    expect(error.message).to.contain('k8s:enc:aesgcm:v1:k:').and.contain(context.key);
  });

  it('gives a resource that several lists name the providers of all of them, in order', async () => {
    const [one, two] = [gcm('a'), gcm('b')];
    const transformer = parse(
      configOf(rule('secrets', one), rule('pods, secrets', two)),
    ).transformerFor({ group: '', resource: 'secrets' });
    expect(await headOf(transformer)).to.equal('k8s:enc:aesgcm:v1:a:');
    const value = await parse(configOf(rule('secrets', two)))
      .transformerFor({ group: '', resource: 'secrets' })
      .toStorage(plaintext, context);
    expect((await transformer.fromStorage(value, context)).stale).to.equal(true);
  });

  const kms = (rest: string): string => rule('secrets', `{ kms: { ${rest} } }`);
  const short = base64(new Uint8Array(5));
  const wrong: [string, string, RegExp][] = [
    ['nothing', '', /yaml:1: it is empty/],
    ['what is not YAML', 'a: [', /yaml:\d+: it is not YAML/],
    ['two documents', `${configOf(rule('pods', gcm('k')))}---\na: 1\n`, /not YAML: multiple docs/],
    ['a list', '- a', /expected a mapping/],
    [
      'another kind',
      HEADER.replace('Configuration', 'Configurations'),
      /yaml:2: kind: expected an Encr/,
    ],
    ['another version', HEADER.replace('/v1', '/v1beta1'), /expected an EncryptionConfiguration/],
    ['no kind', 'apiVersion: apiserver.config.k8s.io/v1', /kind: it is missing/],
    [
      'an unknown field',
      `${HEADER}resourcez: []`,
      /yaml:3: unknown field "resourcez"; known are apiV/,
    ],
    ['no resources', HEADER, /resources: at least one/],
    ['an empty list', `${HEADER}resources: []`, /yaml:3: resources: at least one/],
    [
      'a rule without resources',
      configOf('- providers: [{ identity: {} }]\n'),
      /yaml:4: resources\[0\]\.resources: at least one/,
    ],
    [
      'a rule without providers',
      configOf('- resources: [secrets]\n'),
      /resources\[0\]\.providers: at least one/,
    ],
    [
      'a provider that is none',
      configOf(rule('secrets', '{}')),
      /yaml:5: resources\[0\]\.providers\[0\]: expected exactly one/,
    ],
    [
      'an identity that is null',
      configOf(rule('secrets', '{ identity: }')),
      /expected exactly one/,
    ],
    [
      'two providers in one',
      configOf(rule('secrets', `{ identity: {}, aesgcm: { keys: [${key('k')}] } }`)),
      /expected exactly one/,
    ],
    ['an unknown provider', configOf(rule('secrets', '{ rot13: {} }')), /unknown field "rot13"/],
    [
      'fields of identity',
      configOf(rule('secrets', '{ identity: { a: 1 } }')),
      /unknown field "a"/,
    ],
    ['no keys', configOf(rule('secrets', '{ aesgcm: { keys: } }')), /aesgcm\.keys: at least one/],
    [
      'a key without name',
      configOf(rule('secrets', `{ aesgcm: { keys: [{ secret: ${SECRET} }] } }`)),
      /keys\[0\]\.name: it is missing/,
    ],
    [
      'a key without secret',
      configOf(rule('secrets', '{ aesgcm: { keys: [{ name: k }] } }')),
      /keys\[0\]\.secret: it is missing/,
    ],
    [
      'a name that is a number',
      configOf(rule('secrets', `{ aesgcm: { keys: [${key('1')}] } }`)),
      /name: expected a text; put it in quotes/,
    ],
    [
      'two keys of one name',
      configOf(rule('secrets', gcm('k', 'k'))),
      /keys\[1\]\.name: another key/,
    ],
    [
      'a secret that is not base64',
      configOf(rule('secrets', `{ aescbc: { keys: [${key('k', `"${SECRET.slice(1)}"`)}] } }`)),
      /keys\[0\]\.secret: it is not base64/,
    ],
    [
      'a short AES key',
      configOf(rule('secrets', `{ aescbc: { keys: [${key('k', short)}] } }`)),
      /16 or 24 or 32 bytes in base64, got 5/,
    ],
    [
      'a short secretbox key',
      configOf(
        rule('secrets', `{ secretbox: { keys: [${key('k', base64(new Uint8Array(16)))}] } }`),
      ),
      /expected 32 bytes in base64, got 16/,
    ],
    [
      'capital letters',
      configOf(rule('Secrets', gcm('k'))),
      /yaml:4: resources\[0\]\.resources\[0\]: a resource name has no cap/,
    ],
    ['a bare star', configOf(rule('"*"', gcm('k'))), /write "\*\."/],
    ['a resource in all groups', configOf(rule('"secrets.*"', gcm('k'))), /in all groups at once/],
    ['events.k8s.io', configOf(rule('events.events.k8s.io', gcm('k'))), /write "events"/],
    [
      'extensions',
      configOf(rule('ingresses.extensions', gcm('k'))),
      /group "extensions" no longer exists/,
    ],
    ['a resource without API', configOf(rule('serviceipallocations', gcm('k'))), /without API/],
    ['a group alone', configOf(rule('.apps', gcm('k'))), /name of the resource is missing/],
    ['an empty name', configOf(rule('""', gcm('k'))), /resources\[0\]: it is missing/],
    ['a resource twice', configOf(rule('secrets, pods, secrets', gcm('k'))), /twice/],
    ['an overlap in a list', configOf(rule('secrets, "*."', gcm('k'))), /wildcards covers/],
    ['another overlap', configOf(rule('deployments.apps, "*.*"', gcm('k'))), /wildcards covers/],
    [
      'a rule that an earlier one covers',
      configOf(rule('"*."', gcm('k')), rule('secrets', gcm('k'))),
      /yaml:6: resources\[1\]\.resources\[0\]: it has no effect: "\*\."/,
    ],
    [
      'another covered rule',
      configOf(rule('"*.*"', gcm('k')), rule('"*.apps"', gcm('k'))),
      /no effect: "\*\.\*"/,
    ],
    [
      'a kms entry without name',
      configOf(kms('endpoint: "unix:///x"')),
      /kms\.name: it is missing/,
    ],
    ['a kms entry without endpoint', configOf(kms('name: a')), /kms\.endpoint: it is missing/],
    [
      'a kms entry with another endpoint',
      configOf(kms('name: a, endpoint: "tcp://x"')),
      /scheme unix/,
    ],
    [
      'an unknown kms version',
      configOf(kms('apiVersion: v3, name: a, endpoint: "unix:///x"')),
      /only v1 and v2/,
    ],
    [
      'a colon in a kms name',
      configOf(kms('apiVersion: v2, name: "a:b", endpoint: "unix:///x"')),
      /colon/,
    ],
    [
      'a cache size of v2',
      configOf(kms('apiVersion: v2, name: a, endpoint: "unix:///x", cachesize: 1')),
      /cachesize: v2 does not/,
    ],
    [
      'a cache size of 0',
      configOf(kms('name: a, endpoint: "unix:///x", cachesize: 0')),
      /positive/,
    ],
    [
      'a cache size that is none',
      configOf(kms('name: a, endpoint: "unix:///x", cachesize: many')),
      /whole number/,
    ],
    ...['0s', '-3s', '3', 'soon', '3s later', '1m 2s', ''].map(
      (timeout): [string, string, RegExp] => [
        `the timeout "${timeout}"`,
        configOf(kms(`name: a, endpoint: "unix:///x", timeout: "${timeout || ' '}"`)),
        /timeout: expected a positive duration/,
      ],
    ),
    [
      'an unknown kms field',
      configOf(kms('name: a, endpoint: "unix:///x", pandas: best')),
      /unknown field "pandas"/,
    ],
    [
      'an endpoint without a path',
      configOf(kms('apiVersion: v2, name: a, endpoint: "unix://x"')),
      /endpoint: expected the path of a socket/,
    ],
    [
      'two kms entries of one name',
      configOf(kms('name: a, endpoint: "unix:///x"'), kms('name: a, endpoint: "unix:///x"')),
      /resources\[1\].*name: another kms/,
    ],
    [
      'a key service that is not there',
      configOf(kms('name: b, endpoint: "unix:///x"')),
      /kms\.name: version 1 of the KMS interface needs a key service of this name/,
    ],
    [
      'a key service of an inherited name',
      configOf(kms('name: constructor, endpoint: "unix:///x"')),
      /needs a key service of this name/,
    ],
    [
      'a secret in place of a field',
      configOf(rule('secrets', `{ aesgcm: { "${SECRET}": 1 } }`)),
      /unknown field there/,
    ],
    ['a secret in place of a rule', configOf(rule('secrets', `"${SECRET}"`)), /expected a mapping/],
    ['a secret in broken YAML', `${HEADER}resources: [${SECRET}: : :`, /not YAML/],
    [
      'a million aliases',
      `a: &a [${'x, '.repeat(9)}]\nb: [${'*a, '.repeat(101)}]`,
      /more than 100 aliases/,
    ],
    ['an endless file', `#${'x'.repeat(2 ** 20)}`, /larger than 1048576 bytes/],
  ];
  for (const [what, text, reason] of wrong) {
    it(`refuses ${what}, naming file and place but no secret`, async () => {
      const error = await failureOf(() => parse(text, { keyServices: { a: local() } }));
      expect(error.code).to.equal('CONFIG_INVALID');
      expect(error.message).to.match(reason);
      expect(error.message.startsWith(FILE)).to.equal(true);
      for (const secret of [SECRET, SECRET.slice(1), base64(secretOf('k')), short]) {
        expect(inspect(error, { depth: 10 })).not.to.contain(secret);
      }
    });
  }

  it('does not print its keys', () => {
    const config = parse(configOf(rule('secrets', gcm('k'))));
    const transformer = config.transformerFor({ group: '', resource: 'secrets' });
    const printed = [config, transformer]
      .map((one) => inspect(one, { depth: 20, showHidden: true }) + JSON.stringify(one))
      .join();
    expect(printed).not.to.match(/Uint8Array|<Buffer|secret:/);
  });

  it('refuses options it does not know', async () => {
    const options = { keyService: {} } as EncryptionConfigurationOptions;
    const error = await failureOf(() => parse(configOf(rule('secrets', gcm('k'))), options));
    expect(error.code).to.equal('INVALID_OPTION');
  });

  describe('from a file', () => {
    let folder: string;
    let file: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'listwatch-encryption-'));
      file = join(folder, 'encryption.yaml');
    });

    afterEach(() => {
      rmSync(folder, { recursive: true });
    });

    it('rotates a key of a running storage from start to end', async () => {
      const runtime = new VirtualRuntime();
      const store = new EmbeddedKeyValueStore({ runtime });
      writeFileSync(file, configOf(rule('secrets', gcm('old'))));
      const config = await EncryptionConfiguration.load(file);
      const resourcePrefix = '/registry/secrets/';
      const transformer = config.transformerFor({ group: '', resource: 'secrets' });
      const storage = new KeyValueStorage({ store, resourcePrefix, transformer, runtime });
      for (const name of ['a', 'b', 'c']) {
        await storage.create(`${resourcePrefix}shop/${name}`, {
          metadata: { name, namespace: 'shop' },
        });
      }
      for (const names of [
        ['old', 'new'],
        ['new', 'old'],
      ]) {
        writeFileSync(file, configOf(rule('secrets', gcm(...names))));
        expect(await config.reload()).to.equal(true);
        expect((await storage.getList(resourcePrefix)).items).to.have.length(3);
      }
      expect(await config.reload()).to.equal(false);
      expect((await rewriteStale(storage, resourcePrefix)).rewritten).to.equal(3);
      writeFileSync(file, configOf(rule('secrets', gcm('new'))));
      await config.reload();
      expect((await storage.getList(resourcePrefix)).items).to.have.length(3);
      await store.close();
    });

    it('keeps what it has when the file is wrong or gone', async () => {
      writeFileSync(file, configOf(rule('secrets', gcm('k'))));
      const config = await EncryptionConfiguration.load(file);
      const transformer = config.transformerFor({ group: '', resource: 'secrets' });
      writeFileSync(file, 'a: [');
      expect((await failureOf(() => config.reload())).code).to.equal('CONFIG_INVALID');
      rmSync(file);
      expect((await failureOf(() => config.reload())).message).to.contain(file);
      expect(await headOf(transformer)).to.equal('k8s:enc:aesgcm:v1:k:');
      writeFileSync(file, configOf(rule('secrets', gcm('l'))));
      expect(await config.reload()).to.equal(true);
      expect(await headOf(transformer)).to.equal('k8s:enc:aesgcm:v1:l:');
      expect(
        (await failureOf(() => EncryptionConfiguration.load(join(folder, 'none')))).code,
      ).to.equal('CONFIG_INVALID');
    });

    it('gives the same transformer for the same resource, and one that appears with a reload', async () => {
      writeFileSync(file, configOf(rule('secrets', gcm('k'))));
      const config = await EncryptionConfiguration.load(file);
      const pods = config.transformerFor({ group: '', resource: 'pods' });
      expect(config.transformerFor({ group: '', resource: 'pods' })).to.equal(pods);
      expect(await headOf(pods)).to.equal('plain');
      writeFileSync(file, configOf(rule('secrets, pods', gcm('k'))));
      await config.reload();
      expect(await headOf(pods)).to.equal('k8s:enc:aesgcm:v1:k:');
    });

    it('continues to count the uses of a key under another name and after the file is read again', async () => {
      const text = (name: string): string =>
        configOf(rule('secrets', `{ aesgcm: { keys: [${key(name, SECRET)}] } }`));
      writeFileSync(file, text('a'));
      const config = await EncryptionConfiguration.load(file);
      const transformer = config.transformerFor({ group: '', resource: 'secrets' });
      const usages = new Set<KeyUsage>();
      const count = Object.getOwnPropertyDescriptor(KeyUsage.prototype, 'count')!;
      const observed = function (this: KeyUsage, name: string): void {
        usages.add(this);
        (count.value as (name: string) => void).call(this, name);
      };
      Object.defineProperty(KeyUsage.prototype, 'count', { ...count, value: observed });
      try {
        for (const name of ['a', 'b', 'c']) {
          writeFileSync(file, text(name));
          await config.reload();
          await transformer.toStorage(plaintext, context);
        }
      } finally {
        Object.defineProperty(KeyUsage.prototype, 'count', count);
      }
      expect([...usages].map(({ writes }) => writes)).to.deep.equal([3]);
    });

    it('asks its key services which key they use now', async () => {
      const service = local();
      const text = configOf(
        rule('secrets', `{ kms: { apiVersion: v2, name: a, endpoint: 'unix:///x' } }`),
      );
      writeFileSync(file, text);
      const config = await EncryptionConfiguration.load(file, { keyServices: { a: service } });
      const transformer = config.transformerFor({ group: '', resource: 'secrets' });
      const value = await transformer.toStorage(plaintext, context);
      service.rotate({ name: 'kek-2', secret: secretOf('kek-2') });
      expect((await transformer.fromStorage(value, context)).stale).to.equal(false);
      await config.refreshKeys();
      expect((await transformer.fromStorage(value, context)).stale).to.equal(true);
    });
  });
});

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { isListwatchError } from '../../../lib/kernel/failure/errors.ts';
import {
  loadPeer,
  OPTIONAL_PEERS,
  providePeer,
  type OptionalPeer,
  type PeerModule,
} from '../../../lib/kernel/options/optional-peer.ts';

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const manifest = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as Manifest;

/** Versions of `ws`, and whether they are in `^8.19.0`. */
const VERSIONS = [
  ['7.5.10', false],
  ['8.18.3', false],
  ['8.19.0', true],
  ['8.20.1', true],
  ['9.19.0', false],
] as const;

describe('an optional peer', () => {
  it('is loaded when it is installed', () => {
    const salsa = loadPeer('@noble/ciphers', '@noble/ciphers/salsa.js', 'the spec');
    expect(salsa).to.have.property('secretbox');
  });

  it('that is missing gives MISSING_PEER with the line that installs it', () => {
    const absent = 'absent' as OptionalPeer;
    expect(() => loadPeer(absent, 'absent/light.js' as PeerModule, 'EtcdKeyValueStore')).to.throw(
      'EtcdKeyValueStore needs the package absent, which is not installed: npm install absent@',
    );
    try {
      loadPeer(absent, 'absent/light.js' as PeerModule, 'EtcdKeyValueStore');
      expect.fail('it was loaded');
    } catch (error) {
      expect(isListwatchError(error, 'MISSING_PEER')).to.equal(true);
    }
  });

  it('that is installed in part gives MISSING_PEER in one line, with the package that it lacks', () => {
    const broken = fileURLToPath(
      new URL('../../support/peer-that-needs-another.cjs', import.meta.url),
    );
    expect(() => loadPeer('ws', broken as PeerModule, 'the spec')).to.throw(
      /^the spec needs the package ws, which cannot be loaded \(Cannot find module 'not-installed-anywhere'\): npm install ws@\^8\.19\.0$/,
    );
  });

  it('that the program provides is taken as it is', () => {
    const salsa = { secretbox: () => ({}) };
    const module = '@noble/ciphers/salsa.js';
    const own = loadPeer('@noble/ciphers', module, 'the spec') as object;
    providePeer(module, salsa);
    try {
      expect(loadPeer('@noble/ciphers', module, 'the spec')).to.equal(salsa);
    } finally {
      providePeer(module, own);
    }
  });

  it('is provided by the name of its module, and as an object', () => {
    const absent = 'wss' as PeerModule;
    expect(() => providePeer(absent, {})).to.throw(
      'providePeer: the module must be one of @grpc/grpc-js, @noble/ciphers/salsa.js, ws, not wss',
    );
    expect(() => providePeer('ws', 'ws' as unknown as object)).to.throw(
      "providePeer: ws must be what import * as name from 'ws' gives",
    );
  });

  it('in another version gives MISSING_PEER with that version', () => {
    const place = createRequire(import.meta.url).resolve('ws/package.json');
    const { cache } = createRequire(import.meta.url);
    try {
      for (const [version, fits] of VERSIONS) {
        cache[place] = { exports: { version } } as NodeJS.Module;
        const load = (): unknown => loadPeer('ws', 'ws', 'the spec');
        if (fits) load();
        else {
          expect(load).to.throw(
            `the spec needs the package ws, and version ${version} is installed: npm install ws@^8.19.0`,
          );
        }
      }
    } finally {
      delete cache[place];
    }
  });

  it('is optional in package.json, in any version, so that it blocks no install', () => {
    expect(Object.keys(manifest.peerDependencies)).to.deep.equal(Object.keys(OPTIONAL_PEERS));
    expect(new Set(Object.values(manifest.peerDependencies))).to.deep.equal(new Set(['*']));
    for (const name of Object.keys(OPTIONAL_PEERS)) {
      expect(manifest.peerDependenciesMeta[name], name).to.deep.equal({ optional: true });
      expect(manifest.dependencies, name).not.to.have.property(name);
    }
  });
});

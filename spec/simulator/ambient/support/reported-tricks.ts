import axios from 'axios';
import { exec, execSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns';
import { resolve4 } from 'node:dns/promises';
import { createReadStream, promises, readFile, watch } from 'node:fs';
import { readFile as readLater } from 'node:fs/promises';
import { get } from 'node:http';
import https from 'node:https';
import { connect, createServer } from 'node:net';
import { connect as secureConnect } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { gzip } from 'node:zlib';

const nothing = (): void => {};

/** The ambient values that a controller uses, by the name in the finding. Each stands in lines of its own. */
export const REPORTED: Readonly<Record<string, () => unknown>> = {
  fetch: () => fetch('http://127.0.0.1:1'),
  'node:http get': () => get('http://127.0.0.1:1'),
  'node:https request': () => https.request('https://127.0.0.1:1'),
  'node:net connect': () => connect(1, '127.0.0.1'),
  'node:net Server listen': () => createServer().listen(0),
  'node:tls connect': () => secureConnect(1, '127.0.0.1'),
  'node:dgram Socket send': () => createSocket('udp4').send('x', 1, '127.0.0.1'),
  'node:dns lookup': () => lookup('localhost', nothing),
  'node:dns/promises resolve4': () => resolve4('localhost'),
  'node:http request': () => axios.get('http://127.0.0.1:1'),
  'node:fs/promises readFile': () => readLater('package.json'),
  'node:fs/promises stat': () => promises.stat('package.json'),
  'node:fs readFile': () => readFile('package.json', nothing),
  'node:fs watch': () => watch('.'),
  'node:fs createReadStream': () => createReadStream('package.json'),
  'node:child_process exec': () => exec('true'),
  'node:child_process execSync': () => execSync('true'),
  'node:worker_threads Worker': () => new Worker('0', { eval: true }),
  MessageChannel: () => new MessageChannel(),
  'Atomics wait': () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10),
  'node:zlib gzip': () => gzip('x', nothing),
  'node:crypto pbkdf2': () => pbkdf2('a', 'b', 1, 8, 'sha1', nothing),
  'crypto.subtle digest': () => crypto.subtle.digest('SHA-256', new Uint8Array()),
  FinalizationRegistry: () => new FinalizationRegistry(nothing),
  WeakRef: () => new WeakRef({}),
  'import()': async () => await import('./late-module.ts'),
};

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CertificateAuthority,
  type Certificate,
} from '../../../lib/kernel/certificates/certificate-authority.ts';

/** Names the folder of the server's certificate, in the environment of the runs. */
const TLS_VARIABLE = 'LISTWATCH_BENCH_TLS';

/**
 * From now on, in processes that are started: the static server speaks TLS, and all contestants trust its authority, Node by
 * `NODE_EXTRA_CA_CERTS` and Go by `SSL_CERT_FILE`. Both are read when a process starts, so the caller itself does not trust it.
 */
export function takeTls(benchFolder: string): void {
  const folder = join(benchFolder, 'tls');
  mkdirSync(folder, { recursive: true });
  const nowMs = Date.now();
  const authority = new CertificateAuthority({ name: 'bench', nowMs });
  const { certificate, privateKey } = authority.issue({
    usage: 'server',
    name: 'bench',
    hosts: ['127.0.0.1'],
    nowMs,
  });
  const trusted = join(folder, 'authority.crt');
  writeFileSync(trusted, authority.certificate);
  writeFileSync(join(folder, 'server.crt'), certificate);
  writeFileSync(join(folder, 'server.key'), privateKey, { mode: 0o600 });
  process.env['NODE_EXTRA_CA_CERTS'] = trusted;
  process.env['SSL_CERT_FILE'] = trusted;
  process.env[TLS_VARIABLE] = folder;
}

/** The certificate of the static server of this run; undefined for plain HTTP. */
export function benchCertificate(): Certificate | undefined {
  const folder = process.env[TLS_VARIABLE];
  if (folder === undefined) return undefined;
  return {
    certificate: readFileSync(join(folder, 'server.crt'), 'utf8'),
    privateKey: readFileSync(join(folder, 'server.key'), 'utf8'),
  };
}

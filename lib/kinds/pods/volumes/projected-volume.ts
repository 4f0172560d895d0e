import { isRecord, recordsAt, textAt, type JsonRecord } from '../../../meta/json-value.ts';
import type { Check, Report } from '../../../server/registry/validation/check.ts';
import { all, fields, required } from '../../../server/registry/validation/combine.ts';
import { fileMode, text, within } from '../report/small-checks.ts';
import { bundleSource, CERTIFICATE_FILES, certificateSource } from './certificate-sources.ts';
import { unreservedPath } from './local-path.ts';
import { downwardFile, keyToPath } from './volume-files.ts';

const tokenLife: Check = all(
  within(600, Infinity, 'may not specify a duration less than 10 minutes'),
  within(-Infinity, 2 ** 32, 'may not specify a duration larger than 2^32 seconds'),
);
const tokenPath = required(text(unreservedPath));
const named = fields({ name: required() });

/** The files of all sources of a volume, whose paths have to differ. */
class ProjectedFiles {
  readonly #seen = new Set<string>();
  readonly #path: string;
  readonly #report: Report;

  constructor(path: string, report: Report) {
    this.#path = path;
    this.#report = report;
  }

  /** The rules of one source; API servers report on the path of a token at the volume. */
  check(source: JsonRecord, path: string): void {
    const report = this.#report;
    let count = 0;
    for (const kind of ['secret', 'configMap'] as const) {
      const objects = source[kind];
      if (!isRecord(objects)) continue;
      count += 1;
      named(objects, `${path}.${kind}`, report);
      for (const [index, file] of recordsAt(objects, 'items').entries()) {
        keyToPath(file, `${path}.${kind}.items[${index}]`, report);
        this.#add(textAt(file, 'path'), textAt(objects, 'name'));
      }
    }
    if (isRecord(source['downwardAPI'])) {
      count += 1;
      for (const file of recordsAt(source, 'downwardAPI', 'items')) {
        downwardFile(file, `${path}.downwardAPI`, report);
        this.#add(textAt(file, 'path'), textAt(file, 'path'));
      }
    }
    const token = source['serviceAccountToken'];
    if (isRecord(token)) {
      count += 1;
      tokenLife(
        token['expirationSeconds'],
        `${path}.serviceAccountToken.expirationSeconds`,
        report,
      );
      tokenPath(token['path'], `${this.#path}.path`, report);
    }
    const bundle = source['clusterTrustBundle'];
    if (isRecord(bundle)) {
      count += 1;
      bundleSource(bundle, `${path}.clusterTrustBundle`, report);
      this.#addAlways(textAt(bundle, 'path'), textAt(bundle, 'path'));
    }
    const certificate = source['podCertificate'];
    if (isRecord(certificate)) {
      count += 1;
      this.#checkCertificate(certificate, `${path}.podCertificate`);
    }
    if (count < 2) return;
    report.forbidden(path, 'may not specify more than 1 volume type per source');
  }

  #checkCertificate(certificate: JsonRecord, place: string): void {
    certificateSource(certificate, place, this.#report);
    let count = 0;
    for (const name of CERTIFICATE_FILES) {
      const path = textAt(certificate, name);
      if (path === '') continue;
      count += 1;
      for (const problem of unreservedPath(path)) {
        this.#report.invalid(`${place}.${name}`, path, problem);
      }
      this.#add(path, path);
    }
    const missing =
      'specify at least one of credentialBundlePath, keyPath, and certificateChainPath';
    if (count === 0) this.#report.required(place, missing);
  }

  /** @param shown The value in the message. */
  #add(path: string, shown: string): void {
    if (path !== '') this.#addAlways(path, shown);
  }

  #addAlways(path: string, shown: string): void {
    if (this.#seen.has(path)) {
      this.#report.invalid(this.#path, shown, 'conflicting duplicate paths');
    }
    this.#seen.add(path);
  }
}

const sources: Check = (volume, path, report) => {
  const files = new ProjectedFiles(path, report);
  for (const [index, source] of recordsAt(volume, 'sources').entries()) {
    files.check(source, `${path}.sources[${index}]`);
  }
};

/**
 * A volume of files from several sources. Those that the server does not have yet are dropped before.
 * @see pkg/apis/core/validation/validation.go validateProjectedVolumeSource @ v1.37.2
 */
export const projectedVolume: Check = all(fields({ defaultMode: fileMode }), sources);

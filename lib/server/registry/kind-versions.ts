import { withoutReason } from '../../meta/failure/failures.ts';
import type { UnstructuredObject } from '../../meta/object.ts';
import { apiVersionOf } from '../../meta/resource.ts';
import type { AdmittedVersion, AdmittedVersions } from './contract/admission.ts';
import type { KindDefinition } from './contract/kind-definition.ts';
import { DecodeProblems } from './typed/decode-problems.ts';

/** Changes an object into another API version, where a webhook has to do it. */
export type ConvertObject = (
  object: UnstructuredObject,
  apiVersion: string,
  signal: AbortSignal | undefined,
) => Promise<UnstructuredObject>;

/** The versions in which the objects of one kind are served. */
export class KindVersions implements AdmittedVersions {
  readonly #own: KindDefinition;
  readonly #all: () => readonly KindDefinition[];
  readonly #convert: ConvertObject | undefined;

  /** @param all All versions; they are known when the first request comes. */
  constructor(own: KindDefinition, all: () => readonly KindDefinition[], convert?: ConvertObject) {
    this.#own = own;
    this.#all = all;
    this.#convert = convert;
  }

  others(): readonly AdmittedVersion[] {
    return this.#all()
      .map(({ describe }) => describe)
      .filter((one) => apiVersionOf(one) !== apiVersionOf(this.#own.describe));
  }

  async convert(
    object: UnstructuredObject,
    to: AdmittedVersion,
    signal: AbortSignal | undefined,
  ): Promise<UnstructuredObject> {
    const apiVersion = apiVersionOf(to);
    if (object.apiVersion === apiVersion) return object;
    if (this.#convert !== undefined) return await this.#convert(object, apiVersion, signal);
    const from = this.#all().find((one) => apiVersionOf(one.describe) === object.apiVersion);
    const stored = from?.conversion?.toStored(object) ?? object;
    const shown = this.#kindOf(to).conversion?.fromStored(stored) ?? stored;
    return { ...shown, apiVersion, kind: to.kind };
  }

  read(object: UnstructuredObject, version: AdmittedVersion): UnstructuredObject {
    const { type } = this.#kindOf(version);
    const { apiVersion, kind } = object;
    if (apiVersion === apiVersionOf(version) && kind !== version.kind) {
      const [group = ''] = version.group.split('.', 1);
      throw withoutReason(
        `converting (${version.version}.${String(kind)}) to (${group || 'core'}.${version.kind}): unknown conversion`,
      );
    }
    if (apiVersion !== apiVersionOf(version)) {
      throw new Error(
        `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
      );
    }
    if (type === undefined) return object;
    const problems = new DecodeProblems();
    const read = type.read(object, problems);
    problems.end();
    return { ...read, apiVersion, kind };
  }

  #kindOf(version: AdmittedVersion): KindDefinition {
    const wanted = apiVersionOf(version);
    return this.#all().find((one) => apiVersionOf(one.describe) === wanted) ?? this.#own;
  }
}

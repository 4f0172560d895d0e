import { errorMessage, isListwatchError, ListwatchError } from '../../../kernel/failure/errors.ts';
import { runHook } from '../../../kernel/report/run-hook.ts';
import { isApiError, isNotFound } from '../../../meta/failure/failures.ts';
import type { Manifest } from '../../../meta/manifests/manifest.ts';
import type { UnstructuredObject } from '../../../meta/object.ts';
import { sameContent } from '../../../meta/content/same-content.ts';
import type { ApiResource } from '../discovery/api-resource.ts';
import type {
  ApplyAllOptions,
  AppliedObject,
  FailedManifest,
  ManifestResult,
} from './apply-all-options.ts';
import type { AppliedResource, ApplyTarget } from './apply-target.ts';
import { definitionServed } from './definition-served.ts';

/** Options with their defaults. */
export interface ApplyRunOptions extends ApplyAllOptions {
  readonly namespace: string;
  readonly fieldManager: string;
  readonly timeoutMs: number;
  readonly concurrency: number;
}

const DEFINITION = 'CustomResourceDefinition';

/** The results of one `applyAll`, and how one manifest is applied. */
export class ApplyRun {
  readonly target: ApplyTarget;
  readonly options: ApplyRunOptions;
  readonly #results = new Map<Manifest | AppliedObject, AppliedObject | FailedManifest>();
  /** In a dry run: `group/Kind` of definitions and names of namespaces that would be created. */
  readonly #notThereYet = new Set<string>();

  constructor(target: ApplyTarget, options: ApplyRunOptions) {
    this.target = target;
    this.options = options;
  }

  get applied(): readonly AppliedObject[] {
    return [...this.#results.values()].filter((one) => one.result !== 'failed');
  }

  get failed(): readonly FailedManifest[] {
    return [...this.#results.values()].filter((one) => one.result === 'failed');
  }

  /** All results: in the order of the manifests, then what was pruned. */
  inOrderOf(manifests: readonly Manifest[]): readonly (AppliedObject | FailedManifest)[] {
    const all = new Map(this.#results);
    const ordered = manifests.flatMap((one) => {
      const result = all.get(one);
      all.delete(one);
      return result === undefined ? [] : [result];
    });
    return [...ordered, ...all.values()];
  }

  /** Work on each item, a few at a time. Stops when the signal aborts. */
  async eachOf<I>(items: readonly I[], work: (item: I) => Promise<void>): Promise<void> {
    const left = items.values();
    const worker = async (): Promise<void> => {
      for (const item of left) {
        this.options.signal?.throwIfAborted();
        await work(item);
      }
    };
    const workers = Math.min(this.options.concurrency, items.length);
    await Promise.all(Array.from({ length: workers }, worker));
  }

  /** Keeps a result and passes it on. An observer that throws stops nothing. */
  report(of: Manifest | AppliedObject, result: AppliedObject | FailedManifest): void {
    this.#results.set(of, result);
    const { onResult } = this.options;
    if (onResult === undefined) return;
    runHook(this.target.logger, 'onResult', () => onResult(result));
  }

  /** Applies one manifest. A failure is a result, except for an abort. */
  async apply(manifest: Manifest): Promise<void> {
    const { object, place } = manifest;
    const { apiVersion, kind, metadata } = object;
    let about: ManifestResult = {
      apiVersion,
      kind,
      namespace: undefined,
      name: metadata.name,
      place,
    };
    try {
      const found = await this.#resourceOf(manifest);
      const namespace = found?.namespaced === true ? this.namespaceOf(manifest) : undefined;
      about = { ...about, namespace };
      const done =
        found === undefined
          ? unchecked(manifest)
          : await this.#applyTo(found, manifest, namespace ?? '');
      this.report(manifest, { ...about, ...done });
    } catch (error) {
      this.options.signal?.throwIfAborted();
      this.report(manifest, { ...about, result: 'failed', error: typed(error) });
    }
  }

  namespaceOf({ object }: Manifest): string {
    return object.metadata.namespace || this.options.namespace;
  }

  /** Undefined for a kind that a dry run would have defined. */
  async #resourceOf({ object }: Manifest): Promise<ApiResource | undefined> {
    const { apiVersion, kind } = object;
    try {
      return await this.target.discovery.find(apiVersion, kind, { signal: this.options.signal });
    } catch (error) {
      const isPlanned = this.#notThereYet.has(`${apiVersion.split('/', 1)[0]}/${kind}`);
      if (isPlanned && isListwatchError(error, 'RESOURCE_UNKNOWN')) return undefined;
      throw error;
    }
  }

  async #applyTo(
    found: ApiResource,
    manifest: Manifest,
    namespace: string,
  ): Promise<Pick<AppliedObject, 'result' | 'object'>> {
    const { object } = manifest;
    const { signal, dryRun = false, fieldManager, fieldValidation, force } = this.options;
    const { name } = object.metadata;
    const resource = this.target.resource(found.apiVersion, found.resource);
    const before = await orUndefined(resource.get(name, { namespace, signal }));
    let after: UnstructuredObject;
    try {
      const options = { namespace, signal, dryRun, fieldManager, fieldValidation, force };
      after = await resource.apply({ ...object }, options);
    } catch (error) {
      if (isNotFound(error) && this.#notThereYet.has(namespace)) return unchecked(manifest);
      throw error;
    }
    if (dryRun && before === undefined) this.#plan(after);
    const result = resultOf(before, after, dryRun);
    if (found.kind !== DEFINITION || dryRun) return { result, object: after };
    return { result, object: await this.#served(resource, name) };
  }

  async #served(definitions: AppliedResource, name: string): Promise<UnstructuredObject> {
    const { timeoutMs, signal } = this.options;
    return await definitionServed(this.target, definitions, name, { timeoutMs, signal });
  }

  #plan(created: UnstructuredObject): void {
    const { kind, metadata } = created;
    if (kind === 'Namespace') this.#notThereYet.add(metadata?.name ?? '');
    if (kind !== DEFINITION) return;
    const { group, names } = created['spec'] as { group: string; names: { kind: string } };
    this.#notThereYet.add(`${group}/${names.kind}`);
  }
}

function unchecked({ object }: Manifest): Pick<AppliedObject, 'result' | 'object'> {
  return { result: 'unchecked', object: { ...object } };
}

async function orUndefined(
  read: Promise<UnstructuredObject>,
): Promise<UnstructuredObject | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** A dry run has the resource version of the stored object also when it would change the object. */
function resultOf(
  before: UnstructuredObject | undefined,
  after: UnstructuredObject,
  dryRun: boolean,
): 'created' | 'configured' | 'unchanged' {
  if (before === undefined || before.metadata?.uid !== after.metadata?.uid) return 'created';
  const isSame = dryRun
    ? sameContent(before, after) && sameContent(managersOf(before), managersOf(after))
    : before.metadata?.resourceVersion === after.metadata?.resourceVersion;
  return isSame ? 'unchanged' : 'configured';
}

/** The managed fields, without their times. */
function managersOf({ metadata }: UnstructuredObject): readonly object[] {
  const { managedFields = [] } = (metadata ?? {}) as { readonly managedFields?: readonly object[] };
  return managedFields.map((entry) => ({ ...entry, time: undefined }));
}

/** Each failure has a code; what has none is a defect of this package or of a transport. */
export function typed(error: unknown): ListwatchError {
  if (isApiError(error) || isListwatchError(error)) return error;
  return new ListwatchError('ASSERTION', errorMessage(error), { cause: error });
}

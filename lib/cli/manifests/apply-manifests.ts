import { plainText } from '../../kernel/text/plain-text.ts';
import type { Runtime } from '../../kernel/time/runtime.ts';
import { sleep } from '../../kernel/time/wait.ts';
import type { ApiHandler, ApiResponse } from '../../server/http/api-request.ts';
import {
  manifestInvalid,
  type Manifest,
  type ManifestObject,
} from '../../meta/manifests/manifest.ts';

export interface ApplyOptions {
  /** The API of the server. */
  readonly handler: ApiHandler;
  readonly runtime: Runtime;
  readonly signal: AbortSignal;
}

/** A definition and its first object may be in one folder: the resource is served a moment after its definition. */
const SERVED_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 10;

/** The longest message of the server that is repeated, characters. */
const LONGEST_MESSAGE = 1000;

/** Objects that others need come first. */
const FIRST: readonly string[] = ['Namespace', 'CustomResourceDefinition'];

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/**
 * Creates the objects: namespaces, then definitions of custom resources, then the others in the order of their manifests. An
 * object that exists gets the fields of its manifest by a merge patch. An object without a namespace is put into `default`.
 * @throws {ListwatchError} code MANIFEST_INVALID naming the place of an object that the server refuses; the objects before it
 * stay. The signal's reason when it aborts.
 */
export async function applyManifests(
  manifests: readonly Manifest[],
  options: ApplyOptions,
): Promise<void> {
  const ordered = manifests.toSorted((left, right) => rankOf(left) - rankOf(right));
  const calls = new ManifestCalls(options);
  for (const manifest of ordered) {
    options.signal.throwIfAborted();
    await calls.apply(manifest);
  }
}

function rankOf({ object }: Manifest): number {
  const rank = FIRST.indexOf(object.kind);
  return rank < 0 ? FIRST.length : rank;
}

interface ServedKind {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

interface Answer {
  readonly status: number;
  readonly document: unknown;
}

class ManifestCalls {
  readonly #options: ApplyOptions;

  constructor(options: ApplyOptions) {
    this.#options = options;
  }

  async apply({ object, place }: Manifest): Promise<void> {
    const { kind, metadata } = object;
    const collection = await this.#collectionOf(object, place);
    const body = JSON.stringify(object);
    let answer = await this.#send('POST', collection, body);
    if (answer.status === 409 && reasonOf(answer) === 'AlreadyExists') {
      const url = `${collection}/${encodeURIComponent(metadata.name)}`;
      answer = await this.#send('PATCH', url, body);
    }
    if (answer.status >= 400) {
      throw manifestInvalid(place, `${kind} "${metadata.name}": ${messageOf(answer)}`);
    }
  }

  async #collectionOf(object: ManifestObject, place: string): Promise<string> {
    const { apiVersion, kind, metadata } = object;
    const group = groupPath(apiVersion);
    const { name, namespaced } = await this.#served(group, object, place);
    if (!namespaced && metadata.namespace !== undefined) {
      throw manifestInvalid(place, `${kind} "${metadata.name}" is not in a namespace`);
    }
    const namespace = encodeURIComponent(metadata.namespace ?? 'default');
    return namespaced ? `${group}/namespaces/${namespace}/${name}` : `${group}/${name}`;
  }

  async #served(group: string, object: ManifestObject, place: string): Promise<ServedKind> {
    const { runtime, signal } = this.#options;
    const { apiVersion, kind } = object;
    const untilMs = runtime.monotonicMs() + SERVED_WITHIN_MS;
    for (;;) {
      const found = await this.#find(group, kind);
      if (found !== undefined) return found;
      if (!(await this.#isDefined(object))) {
        throw manifestInvalid(
          place,
          `the server has no ${kind} in ${apiVersion}; add its CustomResourceDefinition, or correct apiVersion and kind`,
        );
      }
      if (runtime.monotonicMs() >= untilMs) {
        throw manifestInvalid(
          place,
          `${kind} of ${apiVersion} is defined, but was not served within ${SERVED_WITHIN_MS} ms`,
        );
      }
      await sleep(runtime, LOOK_EVERY_MS, { signal });
    }
  }

  async #find(group: string, kind: string): Promise<ServedKind | undefined> {
    const { status, document } = await this.#send('GET', group);
    if (status !== 200) return undefined;
    const { resources } = document as { readonly resources: readonly ServedKind[] };
    return resources.find((one) => one.kind === kind && !one.name.includes('/'));
  }

  /** Whether a definition has this kind in this version. */
  async #isDefined({ apiVersion, kind }: ManifestObject): Promise<boolean> {
    const { status, document } = await this.#send('GET', DEFINITIONS);
    if (status !== 200) return false;
    const { items } = document as { readonly items: readonly Definition[] };
    return items.some(
      ({ spec: { group, names, versions } }) =>
        names.kind === kind && versions.some(({ name }) => `${group}/${name}` === apiVersion),
    );
  }

  async #send(method: string, url: string, body: string = ''): Promise<Answer> {
    const contentType =
      method === 'PATCH' ? 'application/merge-patch+json' : 'application/json; charset=utf-8';
    const response = await this.#options.handler({
      method,
      url,
      headers: { accept: 'application/json', 'content-type': contentType },
      body: Buffer.from(body),
      signal: this.#options.signal,
    });
    return { status: response.status, document: await documentOf(response) };
  }
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

function groupPath(apiVersion: string): string {
  const path = apiVersion.split('/').map(encodeURIComponent).join('/');
  return apiVersion.includes('/') ? `/apis/${path}` : `/api/${path}`;
}

async function documentOf({ body }: ApiResponse): Promise<unknown> {
  const pieces: Uint8Array[] = [];
  if (body instanceof Uint8Array) pieces.push(body);
  else for await (const piece of body) pieces.push(piece);
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function reasonOf({ document }: Answer): unknown {
  return (document as { readonly reason?: unknown } | undefined)?.reason;
}

function messageOf({ status, document }: Answer): string {
  const message = (document as { readonly message?: unknown } | undefined)?.message;
  return plainText(typeof message === 'string' ? message : `HTTP ${status}`, LONGEST_MESSAGE);
}

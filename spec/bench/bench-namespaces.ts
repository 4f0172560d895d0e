import type { RawAnswer, Target } from '../compare/target/target.ts';

/** The templates of the objects of a run. */
const RESOURCES = ['configmaps', 'pods'] as const;
/** Deleting some ten thousand objects takes a server longer than one request may. */
const MOST_ATTEMPTS = 40;

export interface BenchNamespacesOptions {
  readonly target: Target;
  /** Of the contestant, in names: both may have their objects in one etcd. */
  readonly contestant: string;
  /** The process of this run. @defaultValue process.pid */
  readonly pid?: number | undefined;
  /** Whether the run of a process still goes on. @defaultValue whether there is such a process */
  readonly isRunning?: ((pid: number) => boolean) | undefined;
}

/** The namespaces of one run in one server: one that is written to, and one that is listed. Their names have the process of the run. */
export class BenchNamespaces {
  readonly written: string;
  readonly listed: string;
  readonly #target: Target;
  readonly #contestant: string;
  readonly #isRunning: (pid: number) => boolean;

  constructor({
    target,
    contestant,
    pid = process.pid,
    isRunning = exists,
  }: BenchNamespacesOptions) {
    this.#target = target;
    this.#contestant = contestant;
    this.#isRunning = isRunning;
    this.written = `rate-${contestant}-${pid}`;
    this.listed = `listed-${contestant}-${pid}`;
  }

  async make(): Promise<void> {
    for (const name of [this.written, this.listed]) {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      const answer = await this.#send('POST', '/api/v1/namespaces', namespace);
      if (answer.status !== 201) throw new Error(notified('POST', name, answer));
    }
  }

  /** Deletes what runs have left that were killed. Returns the names of its namespaces. */
  async removeEarlier(): Promise<readonly string[]> {
    const list = await this.#send('GET', '/api/v1/namespaces');
    if (list.status !== 200) throw new Error(notified('GET', 'namespaces', list));
    const { items } = JSON.parse(list.bytes.toString()) as {
      readonly items: readonly { readonly metadata: { readonly name: string } }[];
    };
    const pattern = new RegExp(`^(?:rate|listed)-${this.#contestant}-(\\d+)$`);
    const left = items.flatMap(({ metadata: { name } }) => {
      const pid = pattern.exec(name)?.[1];
      return pid === undefined || this.#isRunning(Number(pid)) ? [] : [name];
    });
    for (const name of left) await this.#remove(name);
    return left;
  }

  /** Deletes the namespaces with all that is in them. What was not made, or is gone, is no error. */
  async remove(): Promise<void> {
    for (const name of [this.written, this.listed]) await this.#remove(name);
  }

  async #remove(namespace: string): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}`;
    for (const resource of RESOURCES) {
      await this.#untilGone(`${path}/${resource}`, 'gracePeriodSeconds=0');
    }
    const { status } = await this.#send('DELETE', path);
    if (status === 404) return;
    // Without a controller of namespaces nothing takes its finalizer away.
    const answer = await this.#send('GET', path);
    if (answer.status !== 200) return;
    const found = JSON.parse(answer.bytes.toString()) as Record<string, unknown>;
    await this.#send('PUT', `${path}/finalize`, { ...found, spec: { finalizers: [] } });
  }

  /** A collection is deleted in parts when it takes long. */
  async #untilGone(path: string, parameters: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const deleted = await this.#send('DELETE', `${path}?${parameters}`);
      const rest = await this.#send('GET', `${path}?limit=1`);
      const { items } = JSON.parse(rest.bytes.toString()) as {
        readonly items?: readonly unknown[];
      };
      if (rest.status === 200 && items?.length === 0) return;
      if (attempt === MOST_ATTEMPTS) throw new Error(notified('DELETE', path, deleted));
    }
  }

  #send(method: string, path: string, body?: object): Promise<RawAnswer> {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const text = body === undefined ? undefined : JSON.stringify(body);
    return this.#target.send({ method, path, headers, body: text, anonymous: false });
  }
}

function notified(method: string, what: string, { status, bytes }: RawAnswer): string {
  return `${method} ${what}: ${status} ${bytes.toString().slice(0, 500)}`;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One of another user is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

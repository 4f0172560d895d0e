import { errorMessage } from '../kernel/failure/errors.ts';
import { isNotFound } from '../meta/failure/failures.ts';
import type { KubernetesObject } from '../meta/object.ts';
import { reportOf, type Check } from '../controller/manager/health-checks.ts';
import { deriveAbort } from '../kernel/time/abort.ts';
import { withDeadline } from '../kernel/time/wait.ts';
import type { InspectedInformer } from './contract/inspected-parts.ts';
import type { AuditAnswer, SavedState } from './contract/inspector-snapshot.ts';
import { metricsOf } from './inspector-metrics.ts';
import type { ResolvedInspectorOptions } from './inspector-options.ts';
import { failingKeys, keyReport } from './key-report.ts';
import { searchKeys } from './objects/key-search.ts';
import { objectReport } from './objects/object-report.ts';
import { contentSecurityPolicy, pageDocument } from './page-document.ts';
import { jsonAnswer, textAnswer, type Answer } from './port/answer.ts';
import type { PageRequest, PageRoute } from './port/inspector-listener.ts';
import type { StateReader } from './state-reader.ts';

const PROMETHEUS_TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const AUDIT_TIMEOUT_MS = 60_000;
const READ_TIMEOUT_MS = 10_000;
const LONGEST_TEXT = 400;
const SAVED_KEYS = 10;

/** The pages of an inspector by path, besides its stream of events. */
export class InspectorPages {
  readonly #options: ResolvedInspectorOptions;
  readonly #reader: StateReader;
  /** Informers whose audit runs: one at a time each. */
  readonly #audits = new Set<InspectedInformer>();

  constructor(options: ResolvedInspectorOptions, reader: StateReader) {
    this.#options = options;
    this.#reader = reader;
  }

  routes(): ReadonlyMap<string, PageRoute> {
    return new Map<string, PageRoute>([
      ['/', { answer: () => page() }],
      ['/api/key', { answer: (request) => this.#key(request) }],
      ['/api/keys', { answer: (request) => this.#keys(request) }],
      ['/api/object', { answer: (request) => this.#object(request) }],
      ['/api/audit', { method: 'POST', answer: (request) => this.#audit(request) }],
      ['/saved.html', { answer: () => this.#saved() }],
      ['/metrics', { answer: () => this.#metrics() }],
      ['/healthz', { open: true, answer: () => this.#probe('healthz', false) }],
      ['/readyz', { open: true, answer: () => this.#probe('readyz', false) }],
      ['/debug/health', { answer: () => this.#probe('readyz', true) }],
      ['/debug/snapshot', { answer: async () => jsonAnswer(await this.#reader.read()) }],
      ['/debug/dump', { answer: (request) => this.#dump(request) }],
    ]);
  }

  #key({ query }: PageRequest): Answer {
    const key = textOf(query, 'key');
    const { parts, runtime } = this.#options;
    const informers = this.#reader.informers();
    return jsonAnswer(keyReport({ key, atMs: runtime.wallMs(), parts, informers }));
  }

  async #keys({ query, signal }: PageRequest): Promise<Answer> {
    const informer = this.#reader.informer(textOf(query, 'informer'));
    if (informer === undefined) return textAnswer(404, 'There is no such informer now.');
    const { runtime } = this.#options;
    return jsonAnswer(await searchKeys(informer, { runtime, text: textOf(query, 'text'), signal }));
  }

  async #object({ query, signal }: PageRequest): Promise<Answer> {
    const informer = this.#reader.informer(textOf(query, 'informer'));
    const key = textOf(query, 'key');
    const cached = informer?.indexer.get(key);
    if (informer === undefined || cached === undefined) {
      return textAnswer(404, `The cache has no ${key} now.`);
    }
    const served = query.has('server') ? await this.#served(cached, signal) : undefined;
    return jsonAnswer(await objectReport({ informer, key, cached, served }));
  }

  /** The object of the server; `gone` when it has none. */
  async #served(
    cached: KubernetesObject,
    signal: AbortSignal,
  ): Promise<KubernetesObject | 'gone' | undefined> {
    const { parts, runtime } = this.#options;
    const { client } = parts;
    if (client === undefined) {
      throw new Error('Give serveInspector the option "client" to compare objects.');
    }
    const ending = deriveAbort(signal);
    const reading = async (): Promise<KubernetesObject> => {
      const resource = await client.resourceOf(cached, { signal: ending.signal });
      return await resource.get(cached.metadata?.name ?? '', { signal: ending.signal });
    };
    const describe = (): string => `the object of ${client.server}`;
    try {
      return await withDeadline(runtime, reading(), { timeoutMs: READ_TIMEOUT_MS, describe });
    } catch (error) {
      if (isNotFound(error)) return 'gone';
      throw error;
    } finally {
      ending.abort();
    }
  }

  /** Awaits the lists of the audit, which do not affect the informer. */
  async #audit({ query, signal }: PageRequest): Promise<Answer> {
    const informer = this.#reader.informer(textOf(query, 'informer'));
    if (informer === undefined) return textAnswer(404, 'There is no such informer now.');
    const answer = (found: AuditAnswer): Answer => jsonAnswer(found);
    if (this.#audits.has(informer)) return answer({ problem: 'Its audit runs already.' });
    this.#audits.add(informer);
    try {
      return answer({ report: await informer.audit({ timeoutMs: AUDIT_TIMEOUT_MS, signal }) });
    } catch (error) {
      return answer({ problem: errorMessage(error) });
    } finally {
      this.#audits.delete(informer);
    }
  }

  async #saved(): Promise<Answer> {
    const { parts, runtime } = this.#options;
    const atMs = runtime.wallMs();
    const informers = this.#reader.informers();
    const saved: SavedState = {
      snapshot: await this.#reader.read(),
      keys: failingKeys(parts.controllers, SAVED_KEYS).map((key) =>
        keyReport({ key, atMs, parts, informers }),
      ),
    };
    const name = `listwatch-${new Date(atMs).toISOString().slice(0, 19).replaceAll(':', '-')}.html`;
    return {
      status: 200,
      contentType: 'text/html; charset=utf-8',
      body: pageDocument(saved),
      headers: { 'content-disposition': `attachment; filename="${name}"` },
    };
  }

  async #metrics(): Promise<Answer> {
    const { metrics } = this.#options;
    const body = metrics?.text() ?? metricsOf(await this.#reader.read());
    return { status: 200, contentType: PROMETHEUS_TEXT, body };
  }

  async #probe(name: 'healthz' | 'readyz', verbose: boolean): Promise<Answer> {
    const checks = new Map<string, Check>();
    const state = await this.#reader.read();
    for (const { name: informer, phase, synced, waitingFor } of state.informers) {
      checks.set(informer, () => {
        if (phase === 'failed' || (name === 'readyz' && !synced)) {
          throw new Error(waitingFor ?? `it is ${phase}`);
        }
      });
    }
    for (const { name: controller, phase } of state.controllers) {
      checks.set(`controller ${controller}`, () => {
        if (name === 'readyz' && (phase === 'new' || phase === 'syncing')) {
          throw new Error(`it is ${phase}`);
        }
      });
    }
    const { passed, text } = await reportOf(name, checks, this.#options.runtime);
    return textAnswer(passed ? 200 : 500, verbose ? text.trimEnd() : passed ? 'ok' : 'failed');
  }

  #dump({ query }: PageRequest): Answer {
    const { token } = this.#options;
    const unmasked = query.get('secrets') === 'show';
    if (unmasked && token === undefined) {
      return textAnswer(403, 'Secrets are shown only by an inspector that has a token.');
    }
    const wanted = query.get('informer');
    const all = this.#reader.informers();
    const informers = all.filter(({ name }) => wanted === null || name === wanted);
    if (wanted !== null && informers.length === 0) {
      const names = all.map(({ name }) => name).join(', ');
      return textAnswer(404, `There is no such informer now; there are: ${names || 'none'}`);
    }
    const body = dumps(informers, unmasked ? 'nothing' : 'secrets');
    return { status: 200, contentType: 'application/x-ndjson', body };
  }
}

/** One dump after the other; each is of the moment at which its turn comes. */
async function* dumps(
  informers: readonly InspectedInformer[],
  mask: 'nothing' | 'secrets',
): AsyncGenerator<string> {
  for (const informer of informers) yield* informer.dump({ mask });
}

function page(): Answer {
  const policy = `${contentSecurityPolicy("'self'")}; frame-ancestors 'none'`;
  return {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    body: pageDocument(),
    headers: { 'content-security-policy': policy },
  };
}

function textOf(query: URLSearchParams, name: string): string {
  return (query.get(name) ?? '').slice(0, LONGEST_TEXT);
}

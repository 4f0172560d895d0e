import type { ResourceEventHandler } from '../../../lib/cache/informer/handlers/event-handler.ts';
import type {
  InformerErrorContext,
  SharedIndexInformerOptions,
} from '../../../lib/cache/informer/options/informer-options.ts';
import { SharedIndexInformer } from '../../../lib/cache/informer/shared-index-informer.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ScriptedListerWatcher } from '../../../lib/testing/scripted-lister-watcher.ts';
import type { Pod } from './objects.ts';
import { lineLogger } from '../../support/line-logger.ts';

export interface HarnessOptions extends Partial<SharedIndexInformerOptions<Pod>> {
  readonly objects?: readonly Pod[] | undefined;
  readonly runtime?: VirtualRuntime | undefined;
}

export interface ReportedError {
  readonly error: Error & { code?: string };
  readonly context: InformerErrorContext;
}

/** A scripted source, an informer over it, and its warnings and errors; all in virtual time. */
export class Harness {
  readonly runtime: VirtualRuntime;
  readonly source: ScriptedListerWatcher<Pod>;
  readonly informer: SharedIndexInformer<Pod>;
  readonly errors: ReportedError[] = [];
  readonly warnings: string[] = [];
  #running: Promise<void> | undefined;

  constructor({ objects, runtime = new VirtualRuntime(), ...options }: HarnessOptions = {}) {
    this.runtime = runtime;
    this.source = new ScriptedListerWatcher<Pod>({ runtime, objects, description: 'pods' });
    this.informer = new SharedIndexInformer<Pod>({
      listerWatcher: this.source,
      runtime,
      logger: lineLogger((line) => this.warnings.push(line)),
      onError: (error, context) => {
        this.errors.push({ error: error as Error, context });
      },
      ...options,
    });
  }

  /** Runs the informer until it is synced. */
  async start(): Promise<void> {
    this.launch();
    await this.runtime.run(this.informer.whenSynced({ timeoutMs: 60_000 }));
    await this.runtime.settle();
  }

  /** Runs the informer. */
  launch(): void {
    this.#running = this.informer.run();
  }

  /** Lets everything that is ready happen. */
  async settle(): Promise<void> {
    await this.runtime.settle();
  }

  async stop(): Promise<void> {
    await this.runtime.run(this.informer.close());
    await this.#running;
  }

  /** Loses the watch and the history behind it, so that the informer has to list again; `during` happens in between. */
  async relist(during: () => void = () => {}): Promise<void> {
    this.source.pause();
    during();
    this.source.dropConnections();
    this.source.compact();
    this.source.resume();
    await this.runtime.advance(60_000);
  }
}

/** A handler that records its notifications: `+a`, `~a`, `-a`; `!` marks initial, resync and unknown final state. */
export function recorder(
  log: string[],
  prefix: string = '',
): ResourceEventHandler<Pod> & { readonly view?: 'object' } {
  const note = (sign: string, key: string, mark: boolean, version = ''): void => {
    log.push(`${prefix}${sign}${key}${version === '' ? '' : `@${version}`}${mark ? '!' : ''}`);
  };
  return {
    onAdd: (object, { key, initial }) => note('+', key, initial, object.metadata.resourceVersion),
    onUpdate: (_, object, { key, resync }) =>
      note('~', key, resync, object.metadata.resourceVersion),
    onDelete: (object, { key, finalStateUnknown }) =>
      note('-', key, finalStateUnknown, object.metadata.resourceVersion),
  };
}

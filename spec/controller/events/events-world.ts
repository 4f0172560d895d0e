import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import type {
  Transport,
  TransportRequest,
} from '../../../lib/client/transport/contract/transport.ts';
import { TransportError } from '../../../lib/client/transport/contract/transport-error.ts';
import {
  EventRecorder,
  type EventRecorderOptions,
} from '../../../lib/controller/events/event-recorder.ts';
import type { Logger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import type { CoreV1, EventsV1 } from '../../../lib/types/index.ts';
import { lineLogger } from '../../support/line-logger.ts';

export const MINUTE_MS = 60_000;

/** An object to report about; it need not exist on the server. */
export const WEB = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web', namespace: 'default', uid: 'a1' },
};

/** A server, recorders, and a network that can be down, in one virtual runtime. */
export class EventsWorld {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly server: ApiServer = new ApiServer({ runtime: this.runtime });
  readonly log: string[] = [];
  /** Method and path of every request of the recorders, with the time since the start in milliseconds. */
  readonly requests: { readonly line: string; readonly atMs: number }[] = [];
  down = false;
  /** Called during the next request of a recorder, after it was sent. When it throws, the answer is lost. */
  onNextRequest: (() => void) | undefined;
  readonly client: Client = this.#newClient();
  readonly #reader: Client = new Client({
    transport: inProcessTransport(this.server.handler),
    runtime: this.runtime,
  });
  readonly #startMs: number = this.runtime.monotonicMs();
  readonly #recorders: EventRecorder[] = [];
  readonly #logger: Logger = lineLogger((line) => this.log.push(line));

  recorder(options: Partial<EventRecorderOptions> = {}): EventRecorder {
    const recorder = new EventRecorder(this.client, {
      controller: 'spec',
      instance: 'spec-0',
      runtime: this.runtime,
      logger: this.#logger,
      ...options,
    });
    this.#recorders.push(recorder);
    return recorder;
  }

  /** Lets time pass, and all that follows from it. */
  async pass(ms: number): Promise<void> {
    await this.runtime.advance(ms);
    await this.runtime.settle();
  }

  async events(namespace: string = 'default'): Promise<readonly EventsV1.Event[]> {
    const events = this.#reader.resource('events.k8s.io/v1', 'events', { namespace });
    return (await this.runtime.run(events.list())).items;
  }

  async coreEvents(namespace: string = 'default'): Promise<readonly CoreV1.Event[]> {
    const events = this.#reader.resource('v1', 'events', { namespace });
    return (await this.runtime.run(events.list())).items;
  }

  async stop(): Promise<void> {
    await this.runtime.run(Promise.all(this.#recorders.map((recorder) => recorder.close())));
    await this.client.close();
    await this.#reader.close();
    await this.runtime.run(this.server.close());
    expect(this.runtime.pending).to.equal(0);
  }

  #newClient(): Client {
    const inner = inProcessTransport(this.server.handler);
    const transport: Transport = {
      server: inner.server,
      send: async (request: TransportRequest) => {
        const { method, path } = request;
        const atMs = this.runtime.monotonicMs() - this.#startMs;
        this.requests.push({ line: `${method} ${path}`, atMs });
        if (this.down) {
          const target = { server: inner.server, method, path };
          throw new TransportError('CONNECTION_REFUSED', target, 'nothing listens');
        }
        const answer = await inner.send(request);
        const then = this.onNextRequest;
        this.onNextRequest = undefined;
        then?.();
        return answer;
      },
      close: () => inner.close(),
    };
    return new Client({ transport, runtime: this.runtime });
  }
}

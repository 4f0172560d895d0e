import { expect } from 'chai';
import { Client } from '../../../lib/client/rest/client.ts';
import type { Controller } from '../../../lib/controller/builder/controller.ts';
import type { Logger } from '../../../lib/kernel/report/logger.ts';
import { VirtualRuntime } from '../../../lib/kernel/time/virtual-runtime.ts';
import type { KubernetesObject } from '../../../lib/meta/object.ts';
import { ApiServer } from '../../../lib/cluster/server/api-server.ts';
import type { Deployment } from '../../../lib/types/index.ts';
import { inProcessTransport } from '../../../lib/client/transport/in-process/in-process-transport.ts';
import { lineLogger } from '../../support/line-logger.ts';

/** A server, a client of the controller, one of a user, and a log, in one virtual runtime. */
export class ControllerWorld {
  readonly runtime: VirtualRuntime = new VirtualRuntime();
  readonly server: ApiServer = new ApiServer({ runtime: this.runtime });
  readonly client: Client = this.#newClient();
  readonly user: Client = this.#newClient();
  /** The log of the controller, `level: line`. */
  readonly log: string[] = [];
  readonly logger: Logger = lineLogger(
    (line, level) => this.log.push(`${level}: ${line}`),
    ['info', 'warn', 'error'],
  );
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  /** The options that every controller of this world has. */
  get options(): { readonly runtime: VirtualRuntime; readonly logger: Logger } {
    return { runtime: this.runtime, logger: this.logger };
  }

  /** Runs the controller until it is ready and has nothing to do. */
  async start<T extends KubernetesObject>(controller: Controller<T>): Promise<void> {
    const running = controller.run({ signal: this.#stop.signal });
    running.catch(() => {});
    this.#running.push(running);
    await this.runtime.run(controller.whenReady({ timeoutMs: 60_000 }));
    await this.runtime.settle();
  }

  /** Awaits a call, and then all that follows from it without a pause. */
  async after<R>(call: Promise<R>): Promise<R> {
    const result = await this.runtime.run(call);
    await this.runtime.settle();
    return result;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.runtime.run(Promise.all(this.#running));
    await this.user.close();
    await this.client.close();
    await this.runtime.run(this.server.close());
    expect(this.runtime.pending).to.equal(0);
  }

  #newClient(): Client {
    const transport = inProcessTransport(this.server.handler);
    return new Client({ transport, runtime: this.runtime, fieldManager: 'spec' });
  }
}

const LABELS = { app: 'web' };

/** A deployment of one replica. */
export function deployment(
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Deployment {
  return {
    metadata: { name, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: { containers: [{ name: 'web', image: 'web:1' }] },
      },
    },
  };
}

/** A custom resource with spec, status and conditions. */
export interface Site extends KubernetesObject {
  readonly spec: { readonly host: string };
  readonly status?: {
    readonly serves?: string;
    readonly conditions?: readonly SiteCondition[];
  };
}

export interface SiteCondition {
  readonly type: 'Ready' | 'Failed';
  readonly status: 'True' | 'False' | 'Unknown';
  readonly observedGeneration?: number;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

/** A part of a schema that takes all fields. */
export const OPEN: object = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const SITES: object = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'sites.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'sites', kind: 'Site' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: { type: 'object', properties: { spec: OPEN, status: OPEN } },
        },
      },
    ],
  },
};

export function site(name: string, host: string = 'a.example.com'): Site {
  return { apiVersion: 'example.com/v1', kind: 'Site', metadata: { name }, spec: { host } };
}

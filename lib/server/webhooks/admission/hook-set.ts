import type { Logger } from '../../../kernel/report/logger.ts';
import type { Runtime } from '../../../kernel/time/runtime.ts';
import type { WebhookCaller } from '../webhook-caller.ts';
import { FollowedObjects } from '../../registry/followed/followed-objects.ts';
import { hooksOf, type Hook } from './hook.ts';

export interface HookSetOptions {
  /** The plural of the configurations. */
  readonly resource: string;
  readonly caller: WebhookCaller;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** The webhooks of all stored configurations of one kind. */
export class HookSet {
  readonly configurations: FollowedObjects<readonly Hook[]>;
  #all: readonly Hook[] = [];

  constructor({ caller, ...options }: HookSetOptions) {
    this.configurations = new FollowedObjects<readonly Hook[]>({
      group: 'admissionregistration.k8s.io',
      ...options,
      read: (object) => hooksOf(object, caller),
      onChange: (before) => {
        this.#all = this.configurations.in('').flat();
        for (const { client } of before ?? []) client.close();
      },
    });
  }

  /** By the name of their configuration, then in its order. */
  get all(): readonly Hook[] {
    return this.#all;
  }
}

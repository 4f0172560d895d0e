import { ListwatchError } from '../../kernel/failure/errors.ts';
import { invalidOption, is, optionsOf } from '../../kernel/options/options-schema.ts';
import type { Logger } from '../../kernel/report/logger.ts';
import { parseApiVersion } from '../../meta/resource.ts';
import {
  declaredHook,
  definitionName,
  type DeclaredHook,
  type MutateOptions,
} from './hook-options.ts';
import type { CallAnswer, Route, WebhookCall } from './port/webhook-listener.ts';
import { admissionAnswer, HookFailure, type ReviewFunction } from './review/admission-answer.ts';
import { conversionAnswer, type Conversions, type Spoke } from './review/conversion-answer.ts';
import { RefusedReview } from './review/review-envelope.ts';
import type { DeclaredConversion } from './webhook-manifests.ts';

/** Two objects of the largest size that API servers take, and what is around them. */
const LARGEST_ADMISSION_BYTES = 8 * 1024 * 1024;
/** API servers ask about all objects of a list at once. */
const LARGEST_CONVERSION_BYTES = 128 * 1024 * 1024;

/** `ConversionOptions` without its types. */
export interface AnyConversion extends Spoke {
  readonly hub: string;
}

const CONVERSION = optionsOf<AnyConversion>()('WebhookServer.convert', {
  hub: is.text().required,
  toHub: is.callback().required,
  fromHub: is.callback().required,
});

/** The webhooks of a server, and how their calls are answered. */
export class DeclaredWebhooks {
  readonly #logger: Logger;
  readonly #whenWarm: (signal: AbortSignal) => Promise<void>;
  readonly #hooks = new Map<string, DeclaredHook>();
  readonly #conversions = new Map<string, Conversions & { readonly spokes: Map<string, Spoke> }>();

  /** @param whenWarm is awaited before a function of admission is called */
  constructor(logger: Logger, whenWarm: (signal: AbortSignal) => Promise<void>) {
    this.#logger = logger;
    this.#whenWarm = whenWarm;
  }

  get hooks(): readonly DeclaredHook[] {
    return [...this.#hooks.values()];
  }

  get conversions(): readonly DeclaredConversion[] {
    return [...this.#conversions.keys()].map((name) => ({ name, path: `/convert/${name}` }));
  }

  /** @throws {ListwatchError} code INVALID_OPTION or NAME_TAKEN. */
  addHook(
    kind: DeclaredHook['kind'],
    apiVersion: string,
    resource: string,
    call: ReviewFunction,
    options: MutateOptions,
  ): void {
    const hook = declaredHook(kind, apiVersion, resource, call, options);
    if (this.#hooks.has(hook.path)) {
      throw new ListwatchError(
        'NAME_TAKEN',
        `WebhookServer.${kind}: there is a webhook named ${hook.name} already; give one of them another name by its option "name"`,
      );
    }
    this.#hooks.set(hook.path, hook);
  }

  /** @throws {ListwatchError} code INVALID_OPTION or NAME_TAKEN. */
  addConversion(apiVersion: string, resource: string, options: AnyConversion): void {
    const owner = 'WebhookServer.convert';
    const { hub, toHub, fromHub } = CONVERSION.read(options);
    const name = definitionName(apiVersion, resource);
    const isOther = parseApiVersion(hub).group !== parseApiVersion(apiVersion).group;
    if (isOther || hub === apiVersion) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `${owner}: option "hub" must be another version of the same group as ${apiVersion}, not ${hub}`,
      );
    }
    const conversions = this.#conversions.get(name) ?? { name, hub, spokes: new Map() };
    this.#conversions.set(name, conversions);
    if (conversions.hub !== hub) {
      throw new ListwatchError(
        'INVALID_OPTION',
        `${owner}: ${name} has the hub ${conversions.hub} already; all of its versions must have the same one, not ${hub}`,
      );
    }
    if (conversions.spokes.has(apiVersion)) {
      const text = `${owner}: ${name} has a conversion of ${apiVersion} already`;
      throw new ListwatchError('NAME_TAKEN', text);
    }
    conversions.spokes.set(apiVersion, { toHub, fromHub });
  }

  /** @throws {ListwatchError} code INVALID_OPTION when there is no webhook. */
  requireSome(): void {
    if (this.#hooks.size + this.#conversions.size > 0) return;
    const text = 'it has no webhook; call validate, mutate or convert before run';
    throw invalidOption('WebhookServer', text);
  }

  /** By path. */
  routes(): ReadonlyMap<string, Route> {
    const routes = new Map<string, Route>();
    for (const hook of this.#hooks.values()) {
      routes.set(hook.path, {
        largestBytes: LARGEST_ADMISSION_BYTES,
        answer: (call) => this.#answer(() => this.#admit(hook, call)),
      });
    }
    for (const { name, path } of this.conversions) {
      const conversions = this.#conversions.get(name) as Conversions;
      routes.set(path, {
        largestBytes: LARGEST_CONVERSION_BYTES,
        answer: ({ body }) => this.#answer(() => conversionAnswer(conversions, body, this.#logger)),
      });
    }
    return routes;
  }

  async #admit(hook: DeclaredHook, { body, signal }: WebhookCall): Promise<object> {
    await this.#whenWarm(signal);
    return await admissionAnswer(hook, body, signal);
  }

  /** An answer without a verdict is an HTTP error, so that the failure policy of the webhook decides. */
  async #answer(answer: () => Promise<object>): Promise<CallAnswer> {
    try {
      return { status: 200, body: await answer() };
    } catch (error) {
      if (error instanceof RefusedReview) return { status: error.status, body: error.message };
      if (!(error instanceof HookFailure)) throw error;
      const cause = error.cause ?? error;
      this.#logger.error('webhooks: function failed', { problem: error.message, error: cause });
      return { status: 500, body: error.message };
    }
  }
}

import type { LabelSelector } from '../../../meta/selectors/label-selector.ts';
import { labelSelectorFromSpec } from '../../../meta/selectors/label-selector.ts';
import { errorMessage } from '../../../kernel/failure/errors.ts';
import { internalError } from '../../../meta/failure/failures.ts';
import {
  numberAt,
  recordAt,
  recordsAt,
  textAt,
  textsAt,
  type JsonRecord,
} from '../../../meta/json-value.ts';
import { clientConfigOf } from '../client-config.ts';
import type { WebhookCaller, WebhookClient } from '../webhook-caller.ts';

/** A rule of a webhook. */
export interface HookRule {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** `RESOURCE` or `RESOURCE/SUBRESOURCE`, with `*` for any. */
  readonly resources: readonly (readonly [resource: string, subresource: string])[];
  readonly scope: string;
}

/** One webhook of a configuration, ready to be compared with requests and called. */
export interface Hook {
  /** Differs from that of all other webhooks. */
  readonly id: string;
  readonly name: string;
  readonly rules: readonly HookRule[];
  /** Whether a request goes on when the call fails. */
  readonly failsOpen: boolean;
  /** Whether a rule also matches the same objects in another version. */
  readonly matchesEquivalent: boolean;
  /** Whether it is called again when a later one changes the object. */
  readonly isReinvoked: boolean;
  readonly isDryRunSafe: boolean;
  readonly hasConditions: boolean;
  readonly timeoutMs: number;
  /** The first version of `AdmissionReview` that both know. */
  readonly reviewVersion: 'v1' | 'v1beta1' | undefined;
  /** @throws {ApiError} 500 for a selector that cannot be read. */
  readonly namespaceSelector: () => LabelSelector;
  /** @throws {ApiError} 500 for a selector that cannot be read. */
  readonly objectSelector: () => LabelSelector;
  readonly client: WebhookClient;
}

const DEFAULT_TIMEOUT_SECONDS = 10;

/** The webhooks of a configuration, in their order. Close their clients when it changes. */
export function hooksOf(configuration: unknown, caller: WebhookCaller): Hook[] {
  const name = textAt(configuration, 'metadata', 'name');
  return recordsAt(configuration, 'webhooks').map((webhook, index) =>
    hookOf(webhook, `${name}/${index}`, caller),
  );
}

function hookOf(webhook: JsonRecord, id: string, caller: WebhookCaller): Hook {
  const seconds = numberAt(webhook, 'timeoutSeconds') || DEFAULT_TIMEOUT_SECONDS;
  return {
    id,
    name: textAt(webhook, 'name'),
    rules: recordsAt(webhook, 'rules').map(ruleOf),
    failsOpen: textAt(webhook, 'failurePolicy') === 'Ignore',
    matchesEquivalent: textAt(webhook, 'matchPolicy') === 'Equivalent',
    isReinvoked: textAt(webhook, 'reinvocationPolicy') === 'IfNeeded',
    isDryRunSafe: ['None', 'NoneOnDryRun'].includes(textAt(webhook, 'sideEffects')),
    hasConditions: recordsAt(webhook, 'matchConditions').length > 0,
    timeoutMs: seconds * 1000,
    reviewVersion: textsAt(webhook, 'admissionReviewVersions').find(isReviewVersion),
    namespaceSelector: selectorOf(webhook, 'namespaceSelector'),
    objectSelector: selectorOf(webhook, 'objectSelector'),
    client: caller.open(clientConfigOf(recordAt(webhook, 'clientConfig'))),
  };
}

function ruleOf(rule: JsonRecord): HookRule {
  return {
    operations: textsAt(rule, 'operations'),
    groups: textsAt(rule, 'apiGroups'),
    versions: textsAt(rule, 'apiVersions'),
    resources: textsAt(rule, 'resources').map((text) => {
      const slash = text.indexOf('/');
      return slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
    }),
    scope: textAt(rule, 'scope') || '*',
  };
}

function isReviewVersion(text: string): text is 'v1' | 'v1beta1' {
  return text === 'v1' || text === 'v1beta1';
}

/** Read when it is first needed, since few webhooks have one. */
function selectorOf(webhook: JsonRecord, field: string): () => LabelSelector {
  let selector: LabelSelector | undefined;
  return () => {
    try {
      selector ??= labelSelectorFromSpec(recordAt(webhook, field) ?? {});
      return selector;
    } catch (error) {
      throw internalError(errorMessage(error), error);
    }
  };
}

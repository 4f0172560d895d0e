import {
  is,
  optionsOf,
  type OptionRule,
  type OptionRules,
  type OptionsSchema,
} from '../../../kernel/options/options-schema.ts';
import type {
  ResourceVersionMatch,
  WatchRequest,
} from '../../../cache/reflector/contract/lister-watcher.ts';
import type { KubernetesObject } from '../../../meta/object.ts';
import type { PatchType } from './call-options.ts';
import type { SelectorOptions } from './query.ts';

/** Options of every call. */
export interface CallOptions {
  /** @defaultValue the namespace the resource client was made for */
  readonly namespace?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Whether read objects have their managed fields. */
export interface ManagedFieldsOption {
  /** See `CollectionOptions`. @defaultValue true */
  readonly managedFields?: boolean | undefined;
}

export interface GetOptions extends CallOptions, ManagedFieldsOption {
  /** `"0"`: any state from the server's cache. Left out: the most recent state. */
  readonly resourceVersion?: string | undefined;
}

export interface ListOptions extends CallOptions, SelectorOptions, ManagedFieldsOption {
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: ResourceVersionMatch | undefined;
  /** Items a page. @defaultValue all for `list`, 500 for calls that read several pages */
  readonly limit?: number | undefined;
  /** The continue token of the page before. */
  readonly continueToken?: string | undefined;
}

export interface ListItemsOptions {
  /** The number of pages to read ahead, while those read ahead have less than 8 MiB. @defaultValue 0 */
  readonly prefetchPages?: number | undefined;
  /**
   * When the server drops the state of the first page before the last page is read (after 5 minutes, as a rule): `fail` throws
   * EXPIRED. `continue` goes on with the newest state behind the last item: no object comes twice, and objects that were created
   * or deleted meanwhile may come or not. client-go's pager reads the whole list again, in one request.
   * @defaultValue 'fail'
   */
  readonly onExpired?: 'fail' | 'continue' | undefined;
}

export interface ItemsOptions extends ListOptions, ListItemsOptions {}

export interface WatchOptions
  extends CallOptions,
    SelectorOptions,
    ManagedFieldsOption,
    Omit<WatchRequest, 'signal' | 'cache'> {}

export interface WriteOptions extends CallOptions {
  /** The server runs all checks and stores nothing. @defaultValue false */
  readonly dryRun?: boolean | undefined;
  /**
   * The field manager that is recorded in managedFields. @defaultValue option `fieldManager` of the client; else the server takes the
   * first part of the user agent
   */
  readonly fieldManager?: string | undefined;
  /**
   * Fields that the kind does not have, and fields that come twice: `Strict` refuses them, `Warn` drops them with a warning,
   * `Ignore` drops them. @defaultValue that of the server, `Warn`
   */
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore' | undefined;
}

/** Options of a write that is no dry run, so that its answer is a stored object. */
export type Storing<Options extends WriteOptions> = Options & {
  readonly dryRun?: false | undefined;
};

export interface PatchOptions extends WriteOptions {
  /**
   * `merge`: RFC 7396, an object with the fields to change. `json`: RFC 6902, an array of operations. `strategic`: like `merge`, but
   * lists of built-in kinds are merged by their keys; a custom resource refuses it with 415.
   * @defaultValue 'json' for an array, 'merge' for an object
   */
  readonly type?: PatchType | undefined;
  /** E.g. `status`. */
  readonly subresource?: string | undefined;
}

export interface ApplyOptions extends WriteOptions {
  /** Takes fields from other managers, instead of APPLY_CONFLICT. @defaultValue false */
  readonly force?: boolean | undefined;
  /**
   * The object as a cache has it. If the field manager has applied exactly this part there, nothing is sent, and this object is the answer.
   * A change that the cache has not seen yet is repaired when its event comes. @defaultValue none: the apply is always sent
   */
  readonly current?: KubernetesObject | undefined;
  /** E.g. `status`. */
  readonly subresource?: string | undefined;
}

export interface DeleteOptions extends CallOptions {
  /** Deletes only the object with this uid, or in this state; otherwise CONFLICT. */
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  /** How the server deletes the objects that this object owns. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground' | undefined;
  /** 0 deletes at once. */
  readonly gracePeriodSeconds?: number | undefined;
  /** @defaultValue false */
  readonly dryRun?: boolean | undefined;
  /** Resolves to undefined when there is no such object. @defaultValue false: NOT_FOUND */
  readonly ignoreNotFound?: boolean | undefined;
}

export interface DeleteCollectionOptions
  extends Omit<DeleteOptions, 'preconditions' | 'ignoreNotFound'>,
    SelectorOptions {}

/** The rules of `CallOptions`. */
export const CALL: OptionRules<CallOptions> = { namespace: is.text(), signal: is.abortSignal() };
export const SELECTORS: OptionRules<SelectorOptions> = {
  labelSelector: is.text(),
  fieldSelector: is.text(),
};
const READ = { ...CALL, managedFields: is.flag() };
const SELECTION = {
  ...READ,
  ...SELECTORS,
  resourceVersion: is.text(),
  resourceVersionMatch: is.oneOf('NotOlderThan', 'Exact'),
};
const count = is.integer({ min: 0 });
const WRITE = {
  ...CALL,
  dryRun: is.flag(),
  fieldManager: is.text(),
  fieldValidation: is.oneOf('Strict', 'Warn', 'Ignore'),
};
const PRECONDITIONS = optionsOf<NonNullable<DeleteOptions['preconditions']>>()('delete', {
  uid: is.text(),
  resourceVersion: is.text(),
});
const DELETE = {
  ...CALL,
  propagationPolicy: is.oneOf('Orphan', 'Background', 'Foreground'),
  gracePeriodSeconds: count,
  dryRun: is.flag(),
};

/** The rule of an option that gets the answers to writes. */
export const WRITE_OBSERVER: OptionRule<object, undefined> = is.methods(
  'an object with the methods written and deleted, as an informer is',
  'written',
  'deleted',
);
export const SIGNAL_OPTIONS: OptionsSchema<Pick<CallOptions, 'signal'>> = optionsOf<
  Pick<CallOptions, 'signal'>
>()('call', { signal: is.abortSignal() });
export const GET_OPTIONS: OptionsSchema<GetOptions> = optionsOf<GetOptions>()('get', {
  ...READ,
  resourceVersion: is.text(),
});
export const LIST_OPTIONS: OptionsSchema<ListOptions> = optionsOf<ListOptions>()('list', {
  ...SELECTION,
  limit: count,
  continueToken: is.text(),
});
export const ITEMS_OPTIONS: OptionsSchema<ItemsOptions> = optionsOf<ItemsOptions>()('items', {
  ...LIST_OPTIONS.rules,
  prefetchPages: count,
  onExpired: is.oneOf('fail', 'continue'),
});
export const WATCH_OPTIONS: OptionsSchema<WatchOptions> = optionsOf<WatchOptions>()('watch', {
  ...SELECTION,
  allowWatchBookmarks: is.flag(),
  sendInitialEvents: is.flag(),
  timeoutSeconds: count,
});
export const WRITE_OPTIONS: OptionsSchema<WriteOptions> = optionsOf<WriteOptions>()(
  'create',
  WRITE,
);
export const PATCH_OPTIONS: OptionsSchema<PatchOptions> = optionsOf<PatchOptions>()('patch', {
  ...WRITE,
  type: is.openRule<PatchType>(
    "'merge', 'json' or 'strategic' (or call apply)",
    (given) => given === 'merge' || given === 'json' || given === 'strategic',
  ),
  subresource: is.text(),
});
export const APPLY_OPTIONS: OptionsSchema<ApplyOptions> = optionsOf<ApplyOptions>()('apply', {
  ...WRITE,
  force: is.flag(),
  current: is.object(),
  subresource: is.text(),
});
export const DELETE_OPTIONS: OptionsSchema<DeleteOptions> = optionsOf<DeleteOptions>()('delete', {
  ...DELETE,
  preconditions: PRECONDITIONS.nested,
  ignoreNotFound: is.flag(),
});
export const DELETE_COLLECTION_OPTIONS: OptionsSchema<DeleteCollectionOptions> =
  optionsOf<DeleteCollectionOptions>()('deleteCollection', { ...DELETE, ...SELECTORS });

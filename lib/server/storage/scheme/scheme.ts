import { errorMessage, ListwatchError } from '../../../kernel/failure/errors.ts';
import type { KubernetesObject, UnstructuredObject } from '../../../meta/object.ts';
import { apiVersionOf, type GroupVersion, type GroupVersionKind } from '../../../meta/resource.ts';
import { kindName, quoted, SchemeError } from './scheme-error.ts';

/** @experimental */
export interface KnownTypeOptions {
  /** @defaultValue the kind followed by `List` */
  readonly listKind?: string | undefined;
  /**
   * Whether the version exists in memory only: the hub for conversions between all versions of the kind. It is neither decoded
   * nor encoded.
   * @defaultValue false
   */
  readonly internal?: boolean | undefined;
}

/**
 * Converts an object to another version. It gets its own copy, which it may change.
 *
 * @experimental
 */
export type ConversionFunc<
  From extends KubernetesObject = UnstructuredObject,
  To extends KubernetesObject = UnstructuredObject,
> = (object: From) => To;

/**
 * Sets fields that an object leaves out, in place.
 *
 * @experimental
 */
export type DefaultingFunc<T extends KubernetesObject = UnstructuredObject> = (object: T) => void;

interface KnownType {
  readonly gvk: GroupVersionKind;
  readonly apiVersion: string;
  readonly listKind: string;
  readonly internal: boolean;
  readonly defaulting: ((object: UnstructuredObject) => unknown)[];
  /** By target version. */
  readonly conversions: Map<string, (object: UnstructuredObject) => unknown>;
}

interface Group {
  /** The versions from `setVersionPriority` come first, then the others in the order they were added. */
  versions: string[];
  /** By kind, then by version. */
  readonly kinds: Map<string, Map<string, KnownType>>;
  /** By kind. Filled on demand; cleared with every change of the scheme. */
  readonly hubs: Map<string, KnownType>;
}

/**
 * The kinds in their versions, the conversions between versions, and the defaults of each version.
 *
 * Guarantees:
 * - A conversion takes at most two steps: directly if there is a function for it, otherwise through the hub of the kind. The hub
 *   is the internal version, or the preferred version if there is no internal one.
 * - An error names the missing kind, or both versions of the missing conversion.
 *
 * Not guaranteed: that field values are valid. Validation checks the fields of a kind.
 * @see apimachinery pkg/runtime/scheme.go @ eed236c
 * @experimental
 */
export class Scheme {
  readonly #groups = new Map<string, Group>();

  /** @throws {ListwatchError} INVALID_OPTION when the type exists already, or is a second internal version of its kind. */
  addKnownType(gvk: GroupVersionKind, options: KnownTypeOptions = {}): this {
    const { listKind = `${gvk.kind}List`, internal = false } = options;
    const group: Group = this.#groups.get(gvk.group) ?? {
      versions: [],
      kinds: new Map(),
      hubs: new Map(),
    };
    const types = group.kinds.get(gvk.kind) ?? new Map<string, KnownType>();
    if (types.has(gvk.version)) throw invalidOption(`${kindName(gvk)} is known already`);
    const other = [...types.values()].find((type) => type.internal);
    if (internal && other !== undefined) {
      throw invalidOption(`${kindName(gvk)} cannot be internal: ${kindName(other.gvk)} is`);
    }
    const apiVersion = apiVersionOf(gvk);
    const known = { gvk, apiVersion, listKind, internal, defaulting: [], conversions: new Map() };
    types.set(gvk.version, known);
    group.kinds.set(gvk.kind, types);
    if (!internal && !group.versions.includes(gvk.version)) group.versions.push(gvk.version);
    group.hubs.clear();
    this.#groups.set(gvk.group, group);
    return this;
  }

  recognizes(gvk: GroupVersionKind): boolean {
    return this.#find(gvk) !== undefined;
  }

  /** The kind of a list of such objects. @throws {SchemeError} UNKNOWN_KIND. */
  listKindOf(gvk: GroupVersionKind): string {
    return this.#get(gvk).listKind;
  }

  /** All versions of a kind, the internal one included, in order of preference. */
  versionsOf({ group, kind }: { readonly group: string; readonly kind: string }): string[] {
    const types = this.#groups.get(group)?.kinds.get(kind);
    if (types === undefined) return [];
    const known = this.prioritizedVersions(group).filter((version) => types.has(version));
    return [...known, ...[...types.keys()].filter((version) => !known.includes(version))];
  }

  /**
   * Sets the preferred versions of a group, best first; the others follow in the order they were added.
   * @throws {ListwatchError} INVALID_OPTION for a version that does not exist or occurs twice.
   */
  setVersionPriority(group: string, versions: readonly string[]): this {
    const known = this.#groups.get(group);
    for (const [index, version] of versions.entries()) {
      if (known?.versions.includes(version) !== true) {
        throw invalidOption(`no kind of ${apiVersionOf({ group, version })} is known`);
      }
      if (versions.indexOf(version) !== index) throw invalidOption(`${version} occurs twice`);
    }
    if (known !== undefined) {
      known.versions = [...new Set([...versions, ...known.versions])];
      known.hubs.clear();
    }
    return this;
  }

  /** The versions of a group without internal ones, in order of preference. */
  prioritizedVersions(group: string): readonly string[] {
    return this.#groups.get(group)?.versions ?? [];
  }

  /** The preferred version of a group; undefined when there is none. */
  preferredVersion(group: string): string | undefined {
    return this.prioritizedVersions(group)[0];
  }

  /** The version in which objects of the kind are in memory. @throws {SchemeError} UNKNOWN_KIND. */
  hubOf({ group, kind }: { readonly group: string; readonly kind: string }): GroupVersionKind {
    return this.#hubOf(group, kind).gvk;
  }

  isInternal(gvk: GroupVersionKind): boolean {
    return this.#get(gvk).internal;
  }

  /** Whether `applyDefaults` may change objects of this version. */
  hasDefaulting(gvk: GroupVersionKind): boolean {
    return this.#get(gvk).defaulting.length > 0;
  }

  /**
   * Registers a conversion. The result of `convert` need not have `apiVersion` and `kind`.
   * @throws {SchemeError} UNKNOWN_KIND.
   * @throws {ListwatchError} INVALID_OPTION when these are not two versions of one kind, or the conversion exists already.
   */
  addConversion<From extends KubernetesObject, To extends KubernetesObject>(
    from: GroupVersionKind,
    to: GroupVersionKind,
    convert: ConversionFunc<From, To>,
  ): this {
    const { conversions } = this.#get(from);
    this.#get(to);
    const leg = `${kindName(from)} to ${kindName(to)}`;
    if (from.group !== to.group || from.kind !== to.kind || from.version === to.version) {
      throw invalidOption(`a conversion is between two versions of one kind, not from ${leg}`);
    }
    if (conversions.has(to.version)) {
      throw invalidOption(`there is a conversion from ${leg} already`);
    }
    conversions.set(to.version, convert as unknown as (object: UnstructuredObject) => unknown);
    return this;
  }

  /** Registers a defaulting function; several of one version run in the order they were added. @throws {SchemeError} UNKNOWN_KIND. */
  addDefaulting<T extends KubernetesObject>(
    gvk: GroupVersionKind,
    applyDefaults: DefaultingFunc<T>,
  ): this {
    const { defaulting } = this.#get(gvk);
    defaulting.push(applyDefaults as unknown as (object: UnstructuredObject) => unknown);
    return this;
  }

  /**
   * The kind that `apiVersion` and `kind` of an object name.
   * @throws {SchemeError} UNKNOWN_KIND.
   */
  kindOf(object: KubernetesObject): GroupVersionKind {
    return this.#typeOf(object).gvk;
  }

  /** Sets the defaults of the object's version in place. @throws {SchemeError} UNKNOWN_KIND, CONVERSION. */
  applyDefaults(object: KubernetesObject): void {
    const { defaulting, gvk } = this.#typeOf(object);
    for (const fill of defaulting) {
      guarded(object, `the defaults of ${kindName(gvk)}`, () => fill(object as UnstructuredObject));
    }
  }

  /**
   * Converts an object to a version of its kind; returns it unchanged if it has that version. Otherwise the conversion functions
   * may change `object`, so the caller must not use it any more.
   * @throws {SchemeError} UNKNOWN_KIND, NO_CONVERSION, CONVERSION.
   */
  convert(object: KubernetesObject, { group, version }: GroupVersion): UnstructuredObject {
    const from = this.#typeOf(object);
    if (from.gvk.version === version && from.gvk.group === group) {
      return object as UnstructuredObject;
    }
    const to = this.#get({ group, version, kind: from.gvk.kind });
    let converted = object as UnstructuredObject;
    for (const [step, target] of this.#steps(from, to)) {
      const what = `the conversion to ${kindName(target.gvk)}`;
      const source = converted;
      const result: unknown = guarded(source, what, () => step(source));
      if (typeof result !== 'object' || result === null || Array.isArray(result)) {
        throw failed(source, what, `returned ${result === null ? 'null' : typeof result}`);
      }
      converted = { ...result, apiVersion: target.apiVersion, kind: target.gvk.kind };
    }
    return converted;
  }

  #steps(
    from: KnownType,
    to: KnownType,
  ): readonly (readonly [(object: UnstructuredObject) => unknown, KnownType])[] {
    const straight = from.conversions.get(to.gvk.version);
    if (straight !== undefined) return [[straight, to]];
    const hub = this.#hubOf(from.gvk.group, from.gvk.kind);
    const toHub = from.conversions.get(hub.gvk.version);
    const fromHub = hub.conversions.get(to.gvk.version);
    if (from !== hub && to !== hub && toHub !== undefined && fromHub !== undefined) {
      return [
        [toHub, hub],
        [fromHub, to],
      ];
    }
    throw noConversion(from, to, hub);
  }

  #hubOf(group: string, kind: string): KnownType {
    const known = this.#groups.get(group);
    const found = known?.hubs.get(kind);
    if (found !== undefined) return found;
    const types = known?.kinds.get(kind);
    const internal = [...(types?.values() ?? [])].find((type) => type.internal);
    const hub = internal ?? types?.get(this.versionsOf({ group, kind })[0] ?? '');
    if (hub === undefined) throw unknownKind(`${quoted(kind)} of the group ${quoted(group)}`);
    known?.hubs.set(kind, hub);
    return hub;
  }

  #find({ group, version, kind }: GroupVersionKind): KnownType | undefined {
    return this.#groups.get(group)?.kinds.get(kind)?.get(version);
  }

  #get(gvk: GroupVersionKind): KnownType {
    const known = this.#find(gvk);
    if (known === undefined) throw unknownKind(kindName(gvk));
    return known;
  }

  #typeOf({ apiVersion, kind }: KubernetesObject): KnownType {
    // No validation is needed here: a text that is not a valid apiVersion matches no known type.
    const text = typeof apiVersion === 'string' ? apiVersion : '';
    const slash = text.indexOf('/');
    const known = this.#find({
      group: text.slice(0, Math.max(slash, 0)),
      version: text.slice(slash + 1),
      kind: typeof kind === 'string' ? kind : '',
    });
    if (known === undefined) throw unknownKind(`${quoted(apiVersion)} ${quoted(kind)}`);
    return known;
  }
}

function guarded<R>(object: KubernetesObject, what: string, run: () => R): R {
  try {
    return run();
  } catch (error) {
    throw failed(object, what, `threw: ${errorMessage(error)}`, error);
  }
}

function failed(
  { apiVersion, kind, metadata }: KubernetesObject,
  what: string,
  how: string,
  cause?: unknown,
): SchemeError {
  const { namespace = '', name = '' } = metadata ?? {};
  const key = namespace === '' ? name : `${namespace}/${name}`;
  return new SchemeError(
    'CONVERSION',
    `${what} ${how} (${apiVersion} ${kind} ${quoted(key)})`,
    cause,
  );
}

function noConversion(from: KnownType, to: KnownType, hub: KnownType): SchemeError {
  const leg = (left: KnownType, right: KnownType): string =>
    `${kindName(left.gvk)} to ${kindName(right.gvk)}`;
  const missing = [
    ...(from === hub || from.conversions.has(hub.gvk.version) ? [] : [leg(from, hub)]),
    ...(to === hub || hub.conversions.has(to.gvk.version) ? [] : [leg(hub, to)]),
  ];
  return new SchemeError(
    'NO_CONVERSION',
    `there is no conversion from ${leg(from, to)}: add one from ${missing.join(', and one from ')}`,
  );
}

function unknownKind(name: string): SchemeError {
  return new SchemeError('UNKNOWN_KIND', `the scheme does not know ${name}`);
}

function invalidOption(message: string): ListwatchError {
  return new ListwatchError('INVALID_OPTION', message);
}

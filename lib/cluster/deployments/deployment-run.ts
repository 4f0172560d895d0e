import type { ResourceClient } from '../../client/rest/resource-client.ts';
import type { ControllerContext } from '../../controller/builder/run/controller-context.ts';
import type { ControllerResult } from '../../controller/builder/run/controller-result.ts';
import { OWNER_INDEX } from '../../controller/builder/source/owner-index.ts';
import { isAlreadyExists, isNotFound } from '../../meta/failure/failures.ts';
import { controllerOf } from '../../meta/object.ts';
import type { LabelSelector } from '../../meta/selectors/label-selector.ts';
import type { Deployment, ReplicaSet } from '../../types/built-in/apps-v1-kinds.ts';
import { claimObjects } from '../ownership/claim-objects.ts';
import { failureMessage, isNamespaceEnding } from '../ownership/failure-message.ts';
import { ORPHAN_INDEX, selectorIndexValue } from '../ownership/orphans.ts';
import { isPodEnded, timestamp } from '../ownership/pod-activity.ts';
import {
  conditionAt,
  conditionOf,
  withCondition,
  type NewCondition,
} from './deployment-conditions.ts';
import {
  deploymentStatus,
  isComplete,
  isSameReport,
  nextProgressCheckMs,
  progressDeadlineMs,
  rolloutStatus,
  TIMED_OUT,
  type DeploymentReport,
  type StatusParts,
} from './deployment-status.ts';
import { newReplicaSet } from './new-replica-set.ts';
import {
  activeSets,
  actualReplicas,
  byCreation,
  isRolling,
  sumOf,
  wantedReplicas,
  type StoredDeployment,
  type StoredSet,
} from './replica-counts.ts';
import {
  byRevision,
  missingAnnotations,
  nextRevision,
  REVISION,
  sizeAnnotations,
} from './revisions.ts';
import {
  isScaled,
  newSetReplicas,
  oldSetScalings,
  scalingsAfterScale,
  type OwnSets,
  type Scaling,
} from './scaling-plan.ts';
import { isSameTemplate } from './template-hash.ts';

/** Steps of one run. The next ones follow from what the ReplicaSets report. */
const MOST_STEPS = 10;
const NO_LIMIT = 2 ** 31 - 1;

export interface DeploymentRunParts {
  readonly deployment: StoredDeployment;
  readonly context: ControllerContext;
  readonly selector: LabelSelector;
  readonly nowMs: number;
}

/** One run for one Deployment. It writes its status once, at the end. */
export class DeploymentRun {
  readonly #deployment: StoredDeployment;
  readonly #context: ControllerContext;
  readonly #selector: LabelSelector;
  readonly #nowMs: number;
  readonly #sets: ResourceClient<ReplicaSet>;
  #conditions: StatusParts['conditions'];
  #revision: string | undefined;
  #newSet: StoredSet | undefined;
  #oldSets: readonly StoredSet[] = [];

  constructor({ deployment, context, selector, nowMs }: DeploymentRunParts) {
    this.#deployment = deployment;
    this.#context = context;
    this.#selector = selector;
    this.#nowMs = nowMs;
    this.#sets = context.resource('apps/v1', 'replicasets');
    this.#conditions = deployment.status?.conditions ?? [];
  }

  async run(): Promise<ControllerResult<Deployment>> {
    await this.#find();
    const { metadata, spec } = this.#deployment;
    if (metadata.deletionTimestamp !== undefined) {
      await this.#report(deploymentStatus(this.#deployment, this.#statusParts));
      return {};
    }
    this.#notePause();
    const isPaused = spec.paused === true;
    if (this.#newSet !== undefined) await this.#adjustNewSet(this.#newSet);
    for (let step = 0; step < MOST_STEPS; step += 1) {
      if (!(await this.#step(isPaused))) break;
    }
    const read = isPaused ? deploymentStatus : rolloutStatus;
    const status = read(this.#deployment, this.#statusParts);
    if (isPaused || isComplete(this.#deployment, status)) await this.#forgetOldRevisions();
    await this.#report(status);
    if (isPaused) return {};
    return { requeueAfterMs: nextProgressCheckMs(this.#deployment, status, this.#nowMs) };
  }

  get #ownSets(): OwnSets {
    return { newSet: this.#newSet, oldSets: this.#oldSets };
  }

  get #statusParts(): StatusParts {
    return { sets: this.#ownSets, conditions: this.#conditions, nowMs: this.#nowMs };
  }

  /** Of several ReplicaSets with the present template, the oldest is the new one. */
  async #find(): Promise<void> {
    const { owned, byIndex, resource } = this.#context;
    const { metadata, spec } = this.#deployment;
    const { name, namespace } = metadata;
    const value = selectorIndexValue(namespace, this.#selector);
    const orphans = byIndex('apps/v1', 'replicasets', ORPHAN_INDEX, value);
    const wanted = orphans.filter((set) => this.#selector.matches(set.metadata.labels));
    const claimed = await claimObjects([...owned('apps/v1', 'replicasets'), ...wanted], {
      owner: this.#deployment,
      selector: this.#selector,
      fresh: () => resource('apps/v1', 'deployments').get(name),
      patch: (set, patch) => this.#sets.patch(set.metadata.name, patch, { type: 'strategic' }),
    });
    const sorted = claimed.toSorted(byCreation);
    this.#newSet = sorted.find((set) => isSameTemplate(set.spec.template, spec.template));
    this.#oldSets = sorted.filter((set) => set !== this.#newSet);
  }

  /** A rollout that was paused has its whole deadline again. @see kubernetes pkg/controller/deployment/sync.go checkPausedConditions @ v1.37.2 */
  #notePause(): void {
    if (progressDeadlineMs(this.#deployment) === undefined) return;
    const present = conditionOf(this.#conditions, 'Progressing')?.reason;
    if (present === TIMED_OUT) return;
    const isPaused = this.#deployment.spec.paused === true;
    const isNoted = present === 'DeploymentPaused';
    if (isPaused === isNoted) return;
    this.#condition({
      type: 'Progressing',
      status: 'Unknown',
      reason: isPaused ? 'DeploymentPaused' : 'DeploymentResumed',
      message: isPaused ? 'Deployment is paused' : 'Deployment is resumed',
    });
  }

  #condition(condition: NewCondition): void {
    const changed = conditionAt(timestamp(this.#nowMs), condition);
    this.#conditions = withCondition(this.#conditions, changed);
  }

  /** One step of the rollout; false when there is none to be made now. */
  async #step(isPaused: boolean): Promise<boolean> {
    if (isPaused || isScaled(this.#deployment, this.#ownSets)) {
      return await this.#scaleAll(scalingsAfterScale(this.#deployment, this.#ownSets));
    }
    return isRolling(this.#deployment) ? await this.#rollingStep() : await this.#recreateStep();
  }

  async #rollingStep(): Promise<boolean> {
    const newSet = this.#newSet ?? (await this.#createNewSet());
    if (newSet === undefined) return false;
    if (await this.#scaleNewSet(newSet)) return true;
    const scalings = oldSetScalings(this.#deployment, this.#oldSets, newSet);
    return await this.#scaleAll(scalings);
  }

  /** The pods of the old ReplicaSets have to be gone, and not only be counted no more. */
  async #recreateStep(): Promise<boolean> {
    const old = activeSets(this.#oldSets).map((set) => ({ set, replicas: 0 }));
    if (await this.#scaleAll(old)) return true;
    if (this.#areOldPodsRunning()) return false;
    const newSet = this.#newSet ?? (await this.#createNewSet());
    return newSet !== undefined && (await this.#scaleNewSet(newSet));
  }

  #areOldPodsRunning(): boolean {
    const { byIndex } = this.#context;
    if (sumOf(this.#oldSets, actualReplicas) > 0) return true;
    return this.#oldSets.some(({ metadata: { uid } }) =>
      byIndex('v1', 'pods', OWNER_INDEX, uid).some(
        (pod) => controllerOf(pod)?.uid === uid && !isPodEnded(pod),
      ),
    );
  }

  async #scaleNewSet(set: StoredSet): Promise<boolean> {
    const replicas = newSetReplicas(this.#deployment, this.#oldSets, wantedReplicas(set));
    return replicas !== wantedReplicas(set) && (await this.#scaleAll([{ set, replicas }]));
  }

  /** Whether a ReplicaSet was written. */
  async #scaleAll(scalings: readonly Scaling[]): Promise<boolean> {
    let isWritten = false;
    for (const { set, replicas } of scalings) {
      if (await this.#scale(set, replicas)) isWritten = true;
    }
    return isWritten;
  }

  /** The write names the version: from an old cache it would take pods away that a later run has made. */
  async #scale({ metadata: { uid, name } }: StoredSet, replicas: number): Promise<boolean> {
    // A step may scale one twice.
    const set = [...this.#oldSets, this.#newSet].find((one) => one?.metadata.uid === uid);
    if (set === undefined) return false;
    const before = wantedReplicas(set);
    const annotations = sizeAnnotations(this.#deployment);
    const present = set.metadata.annotations;
    const isNoted = Object.entries(annotations).every(([key, value]) => present?.[key] === value);
    if (before === replicas && isNoted) return false;
    const { resourceVersion } = set.metadata;
    const patch = { metadata: { uid, resourceVersion, annotations }, spec: { replicas } };
    this.#replace(await this.#sets.patch(name, patch, { type: 'merge' }));
    if (before === replicas) return true;
    const direction = before < replicas ? 'up' : 'down';
    this.#context.event({
      reason: 'ScalingReplicaSet',
      note: `Scaled ${direction} replica set ${name} from ${before} to ${replicas}`,
    });
    return true;
  }

  #replace(set: StoredSet): void {
    const { uid } = set.metadata;
    if (this.#newSet?.metadata.uid === uid) this.#newSet = set;
    this.#oldSets = this.#oldSets.map((one) => (one.metadata.uid === uid ? set : one));
  }

  /** The revision and the annotations of the Deployment; a rollback makes an old ReplicaSet the newest. */
  async #adjustNewSet(found: StoredSet): Promise<void> {
    const { minReadySeconds = 0 } = this.#deployment.spec;
    const { uid, name, annotations: present = {} } = found.metadata;
    const revision = nextRevision(this.#oldSets);
    const annotations = missingAnnotations(this.#deployment, present, revision);
    const isSame = (found.spec.minReadySeconds ?? 0) === minReadySeconds;
    if (!isSame || Object.keys(annotations).length > 0) {
      const patch = { metadata: { uid, annotations }, spec: { minReadySeconds } };
      this.#replace(await this.#sets.patch(name, patch, { type: 'merge' }));
    }
    this.#revision = this.#newSet?.metadata.annotations?.[REVISION];
    if (progressDeadlineMs(this.#deployment) === undefined) return;
    if (conditionOf(this.#conditions, 'Progressing') !== undefined) return;
    this.#condition({
      type: 'Progressing',
      status: 'True',
      reason: 'FoundNewReplicaSet',
      message: `Found new replica set ${JSON.stringify(name)}`,
    });
  }

  /** Undefined in a namespace that is being deleted. @throws what the server refuses it with; the condition and an event say so. */
  async #createNewSet(): Promise<StoredSet | undefined> {
    const wanted = newReplicaSet(this.#deployment, this.#oldSets, this.#context.ownerReference);
    const name = wanted.metadata?.name ?? '';
    try {
      this.#newSet = await this.#sets.create(wanted);
    } catch (error) {
      if (isNamespaceEnding(error)) return undefined;
      if (!isAlreadyExists(error)) return await this.#refused(name, error);
      this.#newSet = await this.#existing(name, error);
      return this.#newSet;
    }
    const replicas = wantedReplicas(wanted);
    if (replicas > 0) {
      const note = `Scaled up replica set ${name} from 0 to ${replicas}`;
      this.#context.event({ reason: 'ScalingReplicaSet', note });
    }
    this.#revision = wanted.metadata?.annotations?.[REVISION];
    if (progressDeadlineMs(this.#deployment) !== undefined) {
      this.#condition({
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetCreated',
        message: `Created new replica set ${JSON.stringify(name)}`,
      });
    }
    return this.#newSet;
  }

  /** The cache did not show it yet, or another template has the same hash: the next run takes another name. */
  async #existing(name: string, error: unknown): Promise<StoredSet> {
    const { metadata, spec, status } = this.#deployment;
    const set = await this.#sets.get(name);
    const isOwn = controllerOf(set)?.uid === metadata.uid;
    if (isOwn && isSameTemplate(set.spec.template, spec.template)) {
      this.#revision = set.metadata.annotations?.[REVISION];
      return set;
    }
    await this.#write({ collisionCount: (status?.collisionCount ?? 0) + 1 });
    throw error;
  }

  async #refused(name: string, error: unknown): Promise<never> {
    const reason = 'ReplicaSetCreateError';
    const message = `Failed to create new replica set ${JSON.stringify(name)}: ${failureMessage(error)}`;
    if (progressDeadlineMs(this.#deployment) !== undefined) {
      const before = this.#conditions;
      this.#condition({ type: 'Progressing', status: 'False', reason, message });
      if (before !== this.#conditions) await this.#write({ conditions: this.#conditions });
    }
    this.#context.event({ type: 'Warning', reason, note: message });
    throw error;
  }

  /** Keeps as many old ReplicaSets as `revisionHistoryLimit` says, for rollbacks. */
  async #forgetOldRevisions(): Promise<void> {
    const { revisionHistoryLimit = NO_LIMIT } = this.#deployment.spec;
    if (revisionHistoryLimit === NO_LIMIT) return;
    const kept = this.#oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const excess = Math.max(0, kept.length - revisionHistoryLimit);
    for (const set of kept.toSorted(byRevision).slice(0, excess)) {
      const { generation = 0, name } = set.metadata;
      const isSeen = generation <= (set.status?.observedGeneration ?? 0);
      if (actualReplicas(set) !== 0 || wantedReplicas(set) !== 0 || !isSeen) continue;
      await this.#sets.delete(name, { ignoreNotFound: true });
      this.#oldSets = this.#oldSets.filter((one) => one !== set);
    }
  }

  async #report(status: DeploymentReport): Promise<void> {
    const { metadata } = this.#deployment;
    const isRevised =
      this.#revision !== undefined && metadata.annotations?.[REVISION] !== this.#revision;
    if (!isRevised && isSameReport(this.#deployment.status, status)) return;
    const { terminatingReplicas = null, collisionCount, ...counts } = status;
    const written = { ...counts, terminatingReplicas, collisionCount };
    await this.#write(written, isRevised ? { [REVISION]: this.#revision } : undefined);
  }

  /** Only this controller writes these fields on purpose, so the write need not name a version. */
  async #write(status: object, annotations?: object): Promise<void> {
    const { name, uid } = this.#deployment.metadata;
    const deployments = this.#context.resource<Deployment>('apps/v1', 'deployments');
    try {
      const patch = { metadata: { uid, annotations }, status };
      await deployments.patch(name, patch, { type: 'merge', subresource: 'status' });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

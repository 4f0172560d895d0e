import type { KubernetesObject } from '../../meta/object.ts';
import type { Finding } from '../contract/finding.ts';
import { isBackgroundResource } from '../network/request-facts.ts';
import type { Change, ClusterHistory } from '../record/cluster-history.ts';
import type { Journal } from '../record/journal.ts';

const LEASES = 'leases.coordination.k8s.io';

/** The lead by one lease. */
interface Lead {
  /** The process that holds it. */
  leader: string | undefined;
  holder: string | undefined;
  /** Incarnations that led before, as `PROCESS NUMBER`, and when they lost the lead. */
  readonly former: Map<string, number>;
}

/**
 * Writes of a replica that had the lead, and lost it to another one, in the same incarnation. A lease protects nothing if such a write is
 * accepted: the replica has to stop before its lease ends, or to name the lease in each write.
 */
export function twoLeaders(history: ClusterHistory, journal: Journal): readonly Finding[] {
  const incarnations = new Incarnations(journal.entries);
  const leads = new Map<string, Lead>();
  const findings = new Map<string, Finding>();
  for (const change of history.changes) {
    const { ref, writer, atMs } = change;
    if (ref.resource === LEASES) {
      follow(leads, change, history, incarnations);
      continue;
    }
    if (isBackgroundResource(ref.resource)) continue;
    const incarnation = incarnations.at(writer, atMs);
    for (const [lease, { leader, former }] of leads) {
      const lostMs = former.get(incarnation);
      if (lostMs === undefined || leader === undefined || leader === writer) continue;
      if (!areReplicas(leader, writer)) continue;
      const subject = `lease ${lease}`;
      if (findings.has(subject)) continue;
      const object = `${ref.resource} ${ref.object}`;
      const message =
        `${writer} wrote ${object} ${seconds(atMs - lostMs)} after ${leader} had taken the lead: ` +
        'stop the work when the lease is lost, or let the elector fence the writes';
      findings.set(subject, { class: 'two-leaders', subject, message, atMs });
    }
  }
  return [...findings.values()];
}

function follow(
  leads: Map<string, Lead>,
  change: Change,
  history: ClusterHistory,
  incarnations: Incarnations,
): void {
  const { ref, writer, atMs, after } = change;
  const lead = leads.get(ref.object) ?? {
    leader: undefined,
    holder: undefined,
    former: new Map<string, number>(),
  };
  leads.set(ref.object, lead);
  const holder = after && holderOf(history.objectOf(after));
  if (holder === lead.holder) return;
  if (lead.leader !== undefined) lead.former.set(incarnations.at(lead.leader, atMs), atMs);
  lead.holder = holder;
  lead.leader = holder === undefined ? undefined : writer;
  if (lead.leader !== undefined) lead.former.delete(incarnations.at(writer, atMs));
}

function holderOf(lease: KubernetesObject): string | undefined {
  const { spec } = lease as { readonly spec?: { readonly holderIdentity?: string } };
  return spec?.holderIdentity === '' ? undefined : spec?.holderIdentity;
}

function areReplicas(one: string, other: string): boolean {
  const [name, replica] = one.split('#');
  return replica !== undefined && other.split('#')[0] === name;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/** The starts of the processes. */
class Incarnations {
  readonly #starts = new Map<string, number[]>();

  constructor(entries: Journal['entries']) {
    for (const { actor, type, atMs } of entries) {
      if (type !== 'start') continue;
      const starts = this.#starts.get(actor);
      if (starts === undefined) this.#starts.set(actor, [atMs]);
      else starts.push(atMs);
    }
  }

  /** The incarnation of a process at a time, as `PROCESS NUMBER`. */
  at(process: string, atMs: number): string {
    const starts = this.#starts.get(process) ?? [];
    return `${process} ${starts.filter((startMs) => startMs <= atMs).length}`;
  }
}

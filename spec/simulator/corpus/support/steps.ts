import type { ClusterState, WorkloadStep } from '../../../../lib/simulator/contract/world.ts';

/** The custom resource of a bug. */
export interface Subject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
}

type Until = (state: ClusterState) => boolean;

/** The user creates an object of the subject in the namespace `default`. */
export function creates(
  { apiVersion, kind, plural }: Subject,
  name: string,
  spec: object,
  until: Until,
): WorkloadStep {
  return {
    title: `the user creates ${kind} ${name}`,
    act: async (user) => {
      const objects = user.resource(apiVersion, plural, { namespace: 'default' });
      const object = { apiVersion, kind, metadata: { name }, spec };
      await objects.create(object);
    },
    until,
  };
}

/** The user changes the spec of an object of the subject. */
export function changes(
  { apiVersion, kind, plural }: Subject,
  name: string,
  spec: object,
  until: Until,
): WorkloadStep {
  return {
    title: `the user changes ${kind} ${name} to ${JSON.stringify(spec)}`,
    act: async (user) => {
      await user.resource(apiVersion, plural, { namespace: 'default' }).patch(name, { spec });
    },
    until,
  };
}

/** The user deletes an object of the subject. */
export function deletes(
  { apiVersion, kind, plural }: Subject,
  name: string,
  until: Until,
): WorkloadStep {
  return {
    title: `the user deletes ${kind} ${name}`,
    act: async (user) => {
      await user.resource(apiVersion, plural, { namespace: 'default' }).delete(name);
    },
    until,
  };
}

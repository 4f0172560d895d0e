/** Objects that are valid, as clients write them. Each call makes a new one, which a scenario may change. */
export type Draft = Record<string, unknown> & {
  apiVersion: string;
  kind: string;
  metadata: Record<string, unknown>;
};

export interface Kind {
  readonly resource: string;
  readonly namespaced: boolean;
  readonly make: (name: string) => Draft;
}

/** A kind in namespaces. */
export function kind(apiVersion: string, name: string, resource: string, rest: object = {}): Kind {
  return {
    resource,
    namespaced: true,
    make: (objectName) => ({
      apiVersion,
      kind: name,
      metadata: { name: objectName },
      ...structuredClone(rest),
    }),
  };
}

/** A kind outside of them. */
export function clusterKind(...parts: Parameters<typeof kind>): Kind {
  return { ...kind(...parts), namespaced: false };
}

/** The text of a kubeconfig, for example from a Secret. */
export interface KubeconfigText {
  /** YAML or JSON. */
  readonly text: string | Uint8Array;
}

/**
 * A kubeconfig as an object: parsed from YAML or JSON, or a `KubeConfig` of `@kubernetes/client-node`, which is recognised by its shape.
 * It is checked when it is used.
 */
export interface KubeconfigObject {
  readonly clusters?: unknown;
  readonly users?: unknown;
  readonly contexts?: unknown;
  readonly 'current-context'?: unknown;
  /** In a `KubeConfig` of `@kubernetes/client-node`. */
  readonly currentContext?: unknown;
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly preferences?: unknown;
  readonly extensions?: unknown;
}

/** A kubeconfig: the path of a file, its URL (`file:`), its text, or its content. */
export type KubeconfigSource = string | URL | KubeconfigText | KubeconfigObject;

/** A program that gives credentials (`client.authentication.k8s.io`). */
export interface ExecPlugin {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** It is told of the cluster. */
  readonly wantsCluster: boolean;
  readonly installHint: string | undefined;
}

/** A value in the kubeconfig itself or in a file. A file is read again, because it may be replaced. */
export type TextOrFile = { readonly text: string } | { readonly file: string };

/** Address of a cluster's API server, and our credentials. */
export interface ClusterAccess {
  /** In messages: the context, or `the cluster of this pod`. */
  readonly name: string;
  readonly server: URL;
  /** Roots that the server's certificate is verified with; undefined: those of the system. */
  readonly roots: TextOrFile | undefined;
  /** The name that the certificate must have, where it is not the server's. */
  readonly serverName: string | undefined;
  readonly isUnverified: boolean;
  readonly proxy: URL | undefined;
  /** The namespace of the context, or of this pod. */
  readonly namespace: string | undefined;
  readonly token: TextOrFile | undefined;
  readonly certificate: { readonly chain: TextOrFile; readonly key: TextOrFile } | undefined;
  readonly plugin: ExecPlugin | undefined;
  /** Headers that make the server act as somebody else. */
  readonly impersonation: Readonly<Record<string, string | readonly string[]>>;
}

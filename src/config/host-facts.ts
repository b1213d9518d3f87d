/** What only the machine knows where a proxy starts; absent wherever output must be the same on every machine. */
export interface HostFacts {
  /** Memory that the container may use; undefined without a limit. */
  readonly memoryLimitBytes: number | undefined;
  /** Files that one process may have open; absent where it is not known. */
  readonly descriptorLimit?: number | undefined;
  /** Addresses of the proxy that flags or variables name; the first is that of its node id. */
  readonly addresses: readonly string[];
  /** Labels of the pod as its own files and variables have them; they win over those of the inputs. */
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations of the pod, as above. */
  readonly annotations: Readonly<Record<string, string>>;
  /** Node metadata of variables (MESH_META_…, MESH_METAJSON_…), and of the agent itself. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

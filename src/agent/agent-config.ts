/** Everything that the agent's parts need to know, settled before the first of them starts. */
export interface AgentConfig {
  /** Folder of what Envoy reads, relative to the working directory, which Envoy shares. */
  readonly configPath: string;
  /** Absolute path, or a name that was found. */
  readonly envoyBinary: string;
  readonly role: 'sidecar' | 'router';
  /** 0 serves no status port. */
  readonly statusPort: number;
  /** How long connections of a replaced listener live on. */
  readonly drainDurationMs: number;
  /** How long the agent waits between drain and termination. */
  readonly terminationDrainMs: number;
  readonly terminationDrain: 'plain' | 'graceful';
  /** Undefined: Envoy takes one thread a processor. */
  readonly concurrency: number | undefined;
  readonly proxyLogLevel: string;
  readonly proxyComponentLogLevel: string;
  /** Folder of `cert-chain.pem`, `key.pem`, `root-cert.pem`; undefined when there is no identity. */
  readonly identityFolder: string | undefined;
  /** A user's template is in play: the first configuration is validated by Envoy too, before it is started. */
  readonly mustValidateFirst: boolean;
}

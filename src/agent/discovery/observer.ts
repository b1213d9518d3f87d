/** Observes the stream to the control plane. */
export interface ConfigurationObserver {
  connected?(isConnected: boolean): void;
  /** A response that Envoy refuses. */
  refused?(): void;
  /** Gives the age of the configuration in seconds, whenever somebody asks; undefined: there is none. */
  watchAge?(read: () => number | undefined): void;
}

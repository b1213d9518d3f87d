/** What a program of the same pod may ask the agent for, over the status port. */
export interface AgentActions {
  /**
   * `POST /drain`: lets connections finish without stopping. Resolves when Envoy has taken the request; rejects when it
   * could not be asked.
   */
  drain(): Promise<void>;
  /** `POST /quitquitquit`: stops without the wait of a drain. Returns at once. */
  quit(): void;
}
